import type { Readable } from 'node:stream';

import { CLASS_REASONS, type ExportedVisit, UNKNOWN, type VisitClass } from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';

import { type RecordOptions, streamRecords } from './stream-records.js';

const READ_ADDRESSES = `SELECT links.id::text AS id, links.code, domains.authority, domains.is_default AS "isDefault"
  FROM links JOIN domains ON domains.id = links.domain_id WHERE links.id = ANY ($1::bigint[])`;

/** An access record as lists of visits have it. */
export interface VisitToExport {
  eventId: string;
  linkId: string;
  /** Epoch milliseconds. */
  occurredAt: number;
  class: VisitClass;
  referrer: string | null;
  userAgent: string | null;
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
  os: string;
  browser: string;
  device: string;
  referrerHost: string;
  language: string;
  destination: string | null;
  importedFrom: string | null;
  groupId: string | null;
  osVersion: string | null;
  browserVersion: string | null;
  network: string;
  channel: string | null;
  classReason: number | null;
  route: string | null;
  /** JSON. */
  utm: string | null;
}

export interface VisitExportOptions extends RecordOptions {
  /** Of the short URLs. */
  publicScheme: 'http' | 'https';
}

interface Address {
  id: string;
  code: string;
  authority: string;
  isDefault: boolean;
}

export const VISIT_EXPORT_COLUMNS = [
  ...['eventId', 'date', 'shortUrl', 'shortCode', 'domain', 'referer', 'userAgent', 'class'],
  ...['country', 'region', 'city', 'latitude', 'longitude', 'os', 'browser', 'device', 'referrerHost', 'language'],
  ...[
    'redirectUrl',
    'importedFrom',
    'groupId',
    'osVersion',
    'browserVersion',
    'network',
    'channel',
    'classReason',
    'route',
  ],
  ...['utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'],
] as const satisfies (keyof ExportedVisit)[];

/** Visits, as they come, with the address of their link of that moment. */
export function exportVisits(
  database: Database,
  pieces: AsyncIterable<readonly VisitToExport[]>,
  options: VisitExportOptions,
): Readable {
  const exported = exportedVisits(database, pieces, options);
  return streamRecords(VISIT_EXPORT_COLUMNS, exported, cellsOf, options);
}

/** The same as cells, in the order of the columns. */
export async function* exportVisitCells(
  database: Database,
  pieces: AsyncIterable<readonly VisitToExport[]>,
  options: Pick<VisitExportOptions, 'publicScheme'>,
): AsyncGenerator<(string | number | null)[][]> {
  for await (const visits of exportedVisits(database, pieces, options)) yield visits.map(cellsOf);
}

async function* exportedVisits(
  database: Database,
  pieces: AsyncIterable<readonly VisitToExport[]>,
  options: Pick<VisitExportOptions, 'publicScheme'>,
): AsyncGenerator<ExportedVisit[]> {
  for await (const visits of pieces) {
    const addresses = await readAddresses(database, visits);
    yield visits.map((visit) => toExported(visit, addresses.get(visit.linkId), options));
  }
}

function cellsOf(visit: ExportedVisit): (string | number | null)[] {
  return VISIT_EXPORT_COLUMNS.map((name) => visit[name]);
}

async function readAddresses(database: Database, visits: readonly VisitToExport[]): Promise<Map<string, Address>> {
  const ids = [...new Set(visits.map(({ linkId }) => linkId))];
  const rows = await database.query<Address>(READ_ADDRESSES, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

function toExported(
  visit: VisitToExport,
  address: Address | undefined,
  { publicScheme }: Pick<VisitExportOptions, 'publicScheme'>,
): ExportedVisit {
  return {
    eventId: visit.eventId,
    date: new Date(visit.occurredAt).toISOString(),
    shortUrl: address === undefined ? null : `${publicScheme}://${address.authority}/${address.code}`,
    shortCode: address?.code ?? null,
    domain: address === undefined || address.isDefault ? null : address.authority,
    referer: visit.referrer,
    userAgent: visit.userAgent,
    class: visit.class,
    country: known(visit.country),
    region: known(visit.region),
    city: known(visit.city),
    latitude: visit.latitude,
    longitude: visit.longitude,
    os: known(visit.os),
    browser: known(visit.browser),
    device: known(visit.device),
    referrerHost: known(visit.referrerHost),
    language: known(visit.language),
    redirectUrl: visit.destination,
    importedFrom: visit.importedFrom,
    groupId: visit.groupId,
    osVersion: visit.osVersion,
    browserVersion: visit.browserVersion,
    network: known(visit.network),
    channel: visit.channel,
    classReason: visit.classReason === null ? null : (CLASS_REASONS[visit.classReason] ?? null),
    route: visit.route,
    ...campaignOf(visit.utm),
  };
}

function campaignOf(text: string | null) {
  const utm = text === null ? {} : (JSON.parse(text) as Partial<Record<string, string | null>>);
  const { source = null, medium = null, campaign = null, term = null, content = null } = utm;
  return { utmSource: source, utmMedium: medium, utmCampaign: campaign, utmTerm: term, utmContent: content };
}

const known = (value: string) => (value === UNKNOWN ? null : value);
