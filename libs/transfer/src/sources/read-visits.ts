import { eventIdTimeMs, isEventId, TEXT_LIMITS, VISIT_CLASSES, type VisitClass } from '@hopcount/contracts';
import { withoutFormulaGuard } from '@hopcount/runtime';

import { Fields, invalid } from './fields.js';
import { NAMES } from './names.js';
import { RowSkipped, type SourceRecord } from './source-link.js';
import type { SourceVisit } from './source-visit.js';
import type { ImportSource } from './sources.js';
import { extrasOf, NO_EXTRAS } from './visit-extras.js';

const MAX_NAME = 128;
/** Nobody shortened links before; a month of the ledger is made for each month with visits, and those between. */
const EARLIEST = Date.UTC(2000, 0, 1);
/** Clocks differ. */
const AHEAD_MS = 60_000;

type ReadVisit = (record: SourceRecord) => SourceVisit | undefined;

/** Our own exports, a plain CSV, and what the API of Shlink answers with the code of the link beside it. */
const readVisit: ReadVisit = (record) => {
  const fields = new Fields(record);
  if (fields.get(...NAMES.target) !== undefined || fields.get(...NAMES.date) === undefined) return undefined;
  const eventId = fields.text('eventId');
  const location = new Fields((fields.get('visitLocation') ?? {}) as SourceRecord);
  const place = location.get('countryCode') === undefined ? fields : location;
  return checked({
    key: `${domainOf(fields)}/${fields.required(...NAMES.slug)}`,
    occurredAt: eventId !== null && isEventId(eventId) ? eventIdTimeMs(eventId) : instantOf(fields, NAMES.date),
    eventId: eventId !== null && isEventId(eventId) ? eventId : null,
    referrer: fields.text('referer', 'referrer'),
    userAgent: fields.text('userAgent'),
    class: classOf(fields),
    country: place.text('countryCode', 'country'),
    region: place.text('regionName', 'region'),
    city: place.text('cityName', 'city'),
    latitude: numberOf(place, 'latitude', 90),
    longitude: numberOf(place, 'longitude', 180),
    os: fields.text('os'),
    browser: fields.text('browser'),
    device: fields.text('device'),
    referrerHost: fields.text('referrerHost'),
    language: fields.text('language'),
    destination: fields.text('redirectUrl'),
    ...extrasOf(fields),
  });
};

/** Table `yourls_log` as CSV. The address it has is left out: what is kept of ours is anonymised. */
const readYourlsClick: ReadVisit = (record) => {
  const fields = new Fields(record);
  if (fields.get('click_time') === undefined) return undefined;
  const referrer = fields.text('referrer');
  return checked({
    ...NOTHING,
    key: fields.required('shorturl', 'keyword'),
    occurredAt: instantOf(fields, ['click_time']),
    referrer: referrer === 'direct' ? null : referrer,
    userAgent: fields.text('user_agent'),
    country: fields.text('country_code'),
  });
};

const fromCsv: ReadVisit = (record) => {
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutFormulaGuard(value) : value,
  ]);
  return readVisit(Object.fromEntries(entries) as SourceRecord);
};

/** Kutt and Bitly have sums of visits only, which are no visits. */
const READERS: Partial<Record<ImportSource, ReadVisit>> = {
  csv: fromCsv,
  hopcount: readVisit,
  shlink: readVisit,
  yourls: readYourlsClick,
};

/** The visit that a record is; undefined: it is none. @throws RowSkipped */
export function visitOf(source: ImportSource, record: SourceRecord): SourceVisit | undefined {
  return READERS[source]?.(record);
}

const NOTHING = {
  ...NO_EXTRAS,
  ...{ eventId: null, class: null, region: null, city: null, latitude: null, longitude: null, os: null },
  ...{ browser: null, device: null, referrerHost: null, language: null, destination: null },
} satisfies Partial<SourceVisit>;

function domainOf(fields: Fields): string {
  const domain = fields.text('domain')?.trim() ?? '';
  return domain.toUpperCase() === 'DEFAULT' ? '' : domain;
}

function instantOf(fields: Fields, names: readonly string[]): number {
  const instant = fields.instant(...names);
  if (instant === null) throw new RowSkipped('missing-field', `There is no ${names[0]}.`, names[0]);
  return instant;
}

function classOf(fields: Fields): VisitClass | null {
  const name = fields.text('class');
  const given = VISIT_CLASSES.find((one) => one === name);
  if (given !== undefined) return given;
  if (name !== null) throw invalid('class', `is none of ${VISIT_CLASSES.join(', ')}`);
  const isBot = fields.flag('potentialBot');
  return isBot === undefined ? null : isBot ? 'bot' : 'human';
}

function numberOf(fields: Fields, name: string, limit: number): number | null {
  const value = Number(fields.text(name) ?? Number.NaN);
  return Math.abs(value) <= limit ? value : null;
}

/** What the ledger can hold of it. @throws RowSkipped: a time that cannot be */
function checked(visit: SourceVisit): SourceVisit {
  const { occurredAt } = visit;
  if (occurredAt < EARLIEST) throw invalid('date', 'is before the year 2000');
  if (occurredAt > Date.now() + AHEAD_MS) throw invalid('date', 'is in the future');
  return {
    ...visit,
    referrer: cut(visit.referrer, TEXT_LIMITS.referrer),
    userAgent: cut(visit.userAgent, TEXT_LIMITS.userAgent),
    country: /^[A-Za-z]{2}$/.test(visit.country ?? '') ? (visit.country as string).toUpperCase() : null,
    region: cut(visit.region, MAX_NAME),
    city: cut(visit.city, MAX_NAME),
    os: cut(visit.os, MAX_NAME),
    browser: cut(visit.browser, MAX_NAME),
    device: cut(visit.device, MAX_NAME),
    referrerHost: cut(visit.referrerHost, TEXT_LIMITS.domain),
    language: cut(visit.language, MAX_NAME),
    destination: cut(visit.destination, TEXT_LIMITS.destination),
    osVersion: cut(visit.osVersion, MAX_NAME),
    browserVersion: cut(visit.browserVersion, MAX_NAME),
    network: cut(visit.network, MAX_NAME),
    route: cut(visit.route, TEXT_LIMITS.route),
    utm: cutUtm(visit.utm),
  };
}

function cutUtm(utm: SourceVisit['utm']): SourceVisit['utm'] {
  if (utm === null) return null;
  const known = Object.entries(utm).map(([name, value]) => [name, cut(value, TEXT_LIMITS.utm)] as const);
  return Object.fromEntries(known) as NonNullable<SourceVisit['utm']>;
}

/** PostgreSQL holds neither U+0000 nor half a surrogate pair. */
function cut(text: string | null, limit: number): string | null {
  const plain =
    text
      ?.replace(/[\u0000\p{Cs}]/gu, '\ufffd')
      .slice(0, limit)
      .replace(/\p{Cs}$/u, '') ?? '';
  return plain === '' ? null : plain;
}
