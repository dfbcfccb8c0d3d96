import { eventIdTimeMs, isEventId, TEXT_LIMITS, VISIT_CLASSES, type VisitClass } from '@hopcount/contracts';

import { Fields, invalid } from './fields.js';
import { NAMES, OF_NO_USE } from './names.js';
import { isSharedDomain } from './short-urls.js';
import { keyOf, keyOfKeyword } from './source-key.js';
import { RowSkipped, type SourceRecord } from './source-link.js';
import type { SourceVisit } from './source-visit.js';
import type { ImportSource } from './sources.js';
import { extrasOf, NO_EXTRAS } from './visit-extras.js';

const MAX_NAME = 128;
const ONLY_OF_LINKS = [...NAMES.title, ...NAMES.tags, ...NAMES.note, ...NAMES.created];
/** Nobody shortened links before; a month of the ledger is made for each month with visits, and those between. */
const EARLIEST = Date.UTC(2000, 0, 1);
const DECIMAL = /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i;
/** Clocks differ. */
const AHEAD_MS = 60_000;

type ReadVisit = (record: SourceRecord) => SourceVisit | undefined;

/** Our own exports, a plain CSV, and what the API of Shlink answers with the code of the link beside it. */
const readVisit: ReadVisit = (record) => {
  const fields = new Fields(record);
  if (isLink(fields) || fields.get(...NAMES.date) === undefined) return undefined;
  const location = new Fields((fields.get('visitLocation') ?? {}) as SourceRecord);
  const place = location.get('countryCode') === undefined ? fields : location;
  fields.ignore(...OF_NO_USE, ...NAMES.shortUrl, 'visitedUrl', 'potentialBot');
  location.ignore('countryName', 'timezone', 'isEmpty');
  return checked({
    ...keyOf(domainOf(fields), fields.required(...NAMES.slug)),
    ...momentOf(fields),
    referrer: fields.text('referer', 'referrer'),
    userAgent: fields.text('userAgent'),
    class: classOf(fields),
    country: countryOf(place, 'country', 'countryCode'),
    region: place.text('regionName', 'region'),
    city: place.text('cityName', 'city'),
    latitude: degreesOf(place, 'latitude', 90),
    longitude: degreesOf(place, 'longitude', 180),
    os: fields.text('os'),
    browser: fields.text('browser'),
    device: fields.text('device'),
    referrerHost: fields.text('referrerHost'),
    language: fields.text('language'),
    destination: fields.text('redirectUrl'),
    ...extrasOf(fields),
    withoutFields: [...new Set([...fields.leftOut, ...place.leftOut, ...fields.unread(), ...location.unread()])],
  });
};

/** Table `yourls_log` as CSV. The address it has is left out: what is kept of ours is anonymised. */
const readYourlsClick: ReadVisit = (record) => {
  const fields = new Fields(record);
  if (fields.get('click_time') === undefined) return undefined;
  const referrer = fields.text('referrer');
  fields.ignore('click_id', 'ip_address');
  return checked({
    ...NOTHING,
    ...keyOfKeyword(fields.required('shorturl', 'keyword')),
    occurredAt: instantOf(fields, ['click_time']),
    referrer: referrer === 'direct' ? null : referrer,
    userAgent: fields.text('user_agent'),
    country: countryOf(fields, 'country_code'),
    withoutFields: [...fields.leftOut, ...fields.unread()],
  });
};

/** Kutt and Bitly have sums of visits only, which are no visits. */
const READERS: Partial<Record<ImportSource, ReadVisit>> = {
  csv: readVisit,
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
  return domain.toUpperCase() === 'DEFAULT' || isSharedDomain(domain) ? '' : domain;
}

function instantOf(fields: Fields, names: readonly string[]): number {
  const instant = fields.instant(...names);
  if (instant === null) throw new RowSkipped('missing-field', `There is no ${names[0]}.`, names[0]);
  return instant;
}

/** Also one whose target is missing: in a table of both, what only links have tells it from a visit. */
function isLink(fields: Fields): boolean {
  if (fields.get(...NAMES.target) !== undefined) return true;
  return fields.names(...NAMES.target) && ONLY_OF_LINKS.some((name) => fields.get(name) !== undefined);
}

/** Our own ids have the time in them; the same visit is not at two times. */
function momentOf(fields: Fields): Pick<SourceVisit, 'eventId' | 'occurredAt'> {
  const eventId = fields.known(['eventId'], (text) => (isEventId(text) ? text : null));
  const occurredAt = instantOf(fields, NAMES.date);
  if (eventId === null) return { eventId, occurredAt };
  const exact = eventIdTimeMs(eventId);
  if (Math.abs(exact - occurredAt) < 1_000) return { eventId, occurredAt: exact };
  throw invalid('date', `is not the time of the eventId, ${new Date(exact).toISOString()}`);
}

function countryOf(fields: Fields, ...names: string[]): string | null {
  return fields.known(names, (text) => (/^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : null));
}

function classOf(fields: Fields): VisitClass | null {
  const name = fields.text('class');
  const given = VISIT_CLASSES.find((one) => one === name);
  if (given !== undefined) return given;
  if (name !== null) throw invalid('class', `is none of ${VISIT_CLASSES.join(', ')}`);
  const isBot = fields.flag('potentialBot');
  return isBot === undefined ? null : isBot ? 'bot' : 'human';
}

function degreesOf(fields: Fields, name: string, limit: number): number | null {
  return fields.known([name], (text) => {
    const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
    return Math.abs(value) <= limit ? value : null;
  });
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
