import { type Channel, CLASS_REASONS, visitClassFromNumber, visitClassNumber } from '@hopcount/contracts';
import { CopiedRow, CopyRows } from '@hopcount/postgres';

import { ENRICHMENT_VERSION, type EnrichedVisit } from './enriched-visit.js';

const COLUMNS = 32;

/** Rows for stage-visits.sql, in the order of its columns. */
export function newVisitRows(): CopyRows {
  return new CopyRows(COLUMNS);
}

export function addVisitRow(rows: CopyRows, visit: EnrichedVisit): void {
  rows.beginRow();
  rows.instant(visit.occurredAtMs);
  rows.uuid(visit.eventId);
  rows.text(visit.linkId);
  rows.text(visit.visitor);
  rows.text(visit.ip);
  rows.smallint(visitClassNumber(visit.class));
  rows.smallint(ENRICHMENT_VERSION);
  rows.real(visit.latitude);
  rows.real(visit.longitude);
  rows.text(visit.clientIp);
  rows.text(visit.country);
  rows.text(visit.region);
  rows.text(visit.city);
  rows.text(visit.os);
  rows.text(visit.osVersion);
  rows.text(visit.browser);
  rows.text(visit.browserVersion);
  rows.text(visit.device);
  rows.text(visit.network);
  rows.text(visit.referrerHost);
  rows.text(visit.language);
  rows.text(visit.referrer);
  rows.text(visit.userAgent);
  rows.text(visit.destination);
  rows.text(visit.utm === null ? null : JSON.stringify(visit.utm));
  rows.text(visit.truncated.join(',') || null);
  rows.text(visit.source);
  rows.text(visit.route);
  rows.text(visit.channel);
  rows.smallint(CLASS_REASONS.indexOf(visit.classReason));
  rows.text(visit.targetHost);
  rows.text(visit.shortHost);
}

/** The visit of a row, as the ledger has it: text as UTF-8 holds it, places in single precision. */
export function readVisitRow(bytes: Buffer, start: number, eventId: string): EnrichedVisit {
  const row = new CopiedRow(bytes, start);
  const occurredAtMs = row.instant();
  row.skip(); // its id
  const [linkId, visitor, ip] = [row.text()!, row.text(), row.text()];
  const visitClass = visitClassFromNumber(row.smallint());
  row.skip(); // ENRICHMENT_VERSION
  return {
    eventId,
    occurredAtMs,
    linkId,
    class: visitClass,
    visitor,
    ip,
    latitude: row.real(),
    longitude: row.real(),
    clientIp: row.text(),
    country: row.text()!,
    region: row.text()!,
    city: row.text()!,
    os: row.text()!,
    osVersion: row.text(),
    browser: row.text()!,
    browserVersion: row.text(),
    device: row.text()!,
    network: row.text()!,
    referrerHost: row.text()!,
    language: row.text()!,
    referrer: row.text(),
    userAgent: row.text(),
    destination: row.text(),
    utm: JSON.parse(row.text() ?? 'null') as EnrichedVisit['utm'],
    truncated: row.text()?.split(',') ?? [],
    source: row.text()!,
    route: row.text(),
    channel: row.text() as Channel,
    classReason: CLASS_REASONS[row.smallint()]!,
    targetHost: row.text()!,
    shortHost: row.text()!,
  };
}
