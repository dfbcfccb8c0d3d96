import type { GroupedBy, ValuePage, VisitFilter } from '@hopcount/archive';
import { CHANNELS, CLASS_REASONS, type TimeDimension, UNKNOWN, VISIT_CLASSES } from '@hopcount/contracts';
import type { EnrichedVisit } from '@hopcount/ledger';
import { type RandomSource, randomVisit } from '@hopcount/ledger/spec-helpers';

import type { StatisticsScope } from '../scopes/statistics-scope.js';

/** A visit, and what it counts for beside its link. */
export interface ScopedVisit extends EnrichedVisit {
  domainId: number;
  groupId: string;
  importedFrom: string | null;
}

/** Links that have the tag. */
export const TAGGED: ReadonlySet<string> = new Set(['1', '4']);
const REFERRERS = [null, 'https://example.org/', 'https://example.org/a', "https://news.example/it's?a=%27,b"];
const UTMS = [
  null,
  { source: 'news', medium: null, campaign: 'spring, early', term: null, content: null },
  { source: 'Größe', medium: 'mail', campaign: null, term: null, content: "'); --" },
];

/** With values in the dimensions that a visit need not have. */
export function variedVisit(random: RandomSource, linkId: string, atMs: number): EnrichedVisit {
  return {
    ...randomVisit(random, linkId, atMs),
    referrer: random.pick(REFERRERS),
    utm: random.pick(UTMS),
    osVersion: random.pick([null, '11', '12']),
    route: random.pick([null, 'rule:1', 'split:2']),
    clientIp: random.pick([null, '81.2.69.0', '81.2.69.77', '2001:db8::7']),
    channel: random.pick(CHANNELS),
    classReason: random.pick(CLASS_REASONS),
    destination: random.pick(['https://example.com/', 'https://example.com/b']),
  };
}

/** The value as the API has it, found the slow and obvious way. */
export function valueOf(visit: ScopedVisit, of: GroupedBy): string {
  switch (of) {
    case 'referrer':
      return visit.referrerHost;
    case 'region':
    case 'city':
      return visit[of] === UNKNOWN || visit.country === UNKNOWN ? visit[of] : `${visit[of]}, ${visit.country}`;
    case 'ip':
      return visit.clientIp ?? '';
    case 'referrerUrl':
      return visit.referrer ?? '';
    case 'domain':
      return visit.domainId === 1 ? 's.test' : 'two.test';
    case 'group':
      return visit.groupId;
    case 'link':
      return visit.linkId;
    case 'osVersion':
    case 'browserVersion':
    case 'destination':
    case 'route':
    case 'importedFrom':
      return visit[of] ?? '';
    case 'utmSource':
    case 'utmMedium':
    case 'utmCampaign':
    case 'utmTerm':
    case 'utmContent':
      return visit.utm?.[of.slice(3).toLowerCase()] ?? '';
    case 'country':
    case 'os':
    case 'browser':
    case 'device':
    case 'network':
    case 'language':
    case 'class':
    case 'channel':
    case 'classReason':
      return visit[of];
    case 'targetName':
      return nameOf(visit.targetHost);
    case 'shortName':
      return nameOf(visit.shortHost);
    case 'referrerName':
      return visit.referrerHost === 'direct' ? '~direct' : nameOf(visit.referrerHost);
    case 'targetParent':
    case 'referrerParent':
    case 'shortParent':
      return valueOf(visit, `${of.slice(0, -'Parent'.length)}Name` as 'targetName').replace(/(^|\.)[^.]*$/, '');
    case 'quarterHour':
      return String(visit.occurredAtMs - (visit.occurredAtMs % 900_000));
    case 'hasVisitor':
      return String(visit.visitor !== null);
    case 'type':
    case 'path':
      throw new RangeError('visits of links have none');
  }
}

function nameOf(host: string): string {
  if (host === '') return '~unknown';
  if (/^[0-9.]+$/.test(host)) return `~ip.${host.replaceAll('.', '-')}`;
  return host.split('.').reverse().join('.');
}

export function isInScope(visit: ScopedVisit, scope: StatisticsScope, tagged: ReadonlySet<string>): boolean {
  switch (scope.of) {
    case 'all':
      return true;
    case 'domain':
      return visit.domainId === scope.domainId;
    case 'group':
      return visit.groupId === scope.groupId;
    case 'tag':
      return tagged.has(visit.linkId) && (scope.domainId === undefined || visit.domainId === scope.domainId);
    case 'link':
      return visit.linkId === scope.linkId;
    case 'orphans':
      return false;
  }
}

export function passes(visit: ScopedVisit, filters: readonly VisitFilter[]): boolean {
  return filters.every(({ dimension, values, prefixes, isExcluded }) => {
    const value = valueOf(visit, dimension);
    const found = values.includes(value) || prefixes.some((prefix) => value.startsWith(prefix));
    return found !== isExcluded;
  });
}

export function totalsOf(visits: readonly ScopedVisit[]) {
  const byClass = Object.fromEntries(
    VISIT_CLASSES.map((name) => [name, visits.filter((visit) => visit.class === name).length]),
  );
  return { ...sizesOf(visits), byClass };
}

export function seriesOf(visits: readonly ScopedVisit[], starts: readonly number[]) {
  const isIn = (point: number) => (visit: ScopedVisit) =>
    visit.occurredAtMs >= starts[point]! && visit.occurredAtMs < (starts[point + 1] ?? Infinity);
  return starts.map((_, point) => sizesOf(visits.filter(isIn(point))));
}

export function valuesOf(visits: readonly ScopedVisit[], of: GroupedBy) {
  const byValue = new Map<string, ScopedVisit[]>();
  for (const visit of visits) byValue.set(valueOf(visit, of), [...(byValue.get(valueOf(visit, of)) ?? []), visit]);
  return [...byValue].map(([value, some]) => ({ value, ...sizesOf(some) }));
}

/** Visits of FIRST_SEEN's values: those of nobody, the first of each visitor, and all others. */
export function firstSeenOf(visits: readonly ScopedVisit[]): { value: string; visits: number }[] {
  const seen = new Set<string>();
  const counts = { new: 0, returning: 0, unknown: 0 };
  for (const { visitor } of visits) {
    if (visitor === null) counts.unknown += 1;
    else if (seen.has(visitor)) counts.returning += 1;
    else counts.new += 1;
    if (visitor !== null) seen.add(visitor);
  }
  return Object.entries(counts).flatMap(([value, some]) => (some === 0 ? [] : [{ value, visits: some }]));
}

/** Their number and the XOR of the random bits of their ids. */
export function sumOf(visits: readonly ScopedVisit[]) {
  const bitsOf = ({ eventId }: ScopedVisit) => BigInt.asUintN(62, BigInt(`0x${eventId.replaceAll('-', '')}`));
  const checksum = visits.reduce((bits, visit) => bits ^ bitsOf(visit), 0n);
  return { visits: visits.length, checksum: String(checksum) };
}

/** As pages of them go: newest first. */
export function newestFirst(visits: readonly ScopedVisit[]): string[] {
  return visits
    .map(({ eventId }) => eventId)
    .sort()
    .reverse();
}

export function inOrder<Row extends { value: string; visits: number }>(
  rows: readonly Row[],
  { order, isAscending }: Pick<ValuePage, 'order' | 'isAscending'>,
): Row[] {
  const sign = isAscending ? 1 : -1;
  const byValue = (a: Row, b: Row) => Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
  return [...rows].sort((a, b) =>
    order === 'visits' ? sign * (a.visits - b.visits) || byValue(a, b) : sign * byValue(a, b),
  );
}

function sizesOf(visits: readonly ScopedVisit[]) {
  const distinct = (values: (string | null)[]) => new Set(values.filter((value) => value !== null)).size;
  return {
    visits: visits.length,
    visitors: distinct(visits.map((visit) => visit.visitor)),
    ips: distinct(visits.map((visit) => visit.ip)),
  };
}

/** The hour or the day of the week of a zone, as everybody's calendar says it. */
export function localName(visit: ScopedVisit, dimension: TimeDimension, timeZone: string): string {
  const at = Temporal.Instant.fromEpochMilliseconds(visit.occurredAtMs).toZonedDateTimeISO(timeZone);
  return dimension === 'hour' ? String(at.hour).padStart(2, '0') : String(at.dayOfWeek);
}

/** Visits by row and column; behind the last of each, all others. */
export function matrixOf(
  visits: readonly ScopedVisit[],
  sides: readonly [MatrixSideModel, MatrixSideModel],
): { sides: { values: { value: string; visits: number }[]; number: number }[]; cells: number[][] } {
  const shown = sides.map(({ nameOf, all, limit }) => {
    const counts = new Map(all.map((value) => [value, 0]));
    for (const visit of visits) counts.set(nameOf(visit), (counts.get(nameOf(visit)) ?? 0) + 1);
    const rows = [...counts].map(([value, count]) => ({ value, visits: count }));
    const ordered = all.length > 0 ? rows : inOrder(rows, { order: 'visits', isAscending: false }).slice(0, limit);
    return { values: ordered, number: counts.size };
  });
  const [rows, columns] = shown.map(({ values }) => [...values.map(({ value }) => value), null]);
  const isAt = (visit: ScopedVisit, nth: 0 | 1, value: string | null, names: readonly (string | null)[]) => {
    const name = sides[nth].nameOf(visit);
    return value === null ? !names.includes(name) : name === value;
  };
  const cells = rows!.map((row) =>
    columns!.map(
      (column) => visits.filter((visit) => isAt(visit, 0, row, rows!) && isAt(visit, 1, column, columns!)).length,
    ),
  );
  return { sides: shown, cells };
}

export interface MatrixSideModel {
  nameOf: (visit: ScopedVisit) => string;
  /** Of times: every one there is, in order; else []. */
  all: string[];
  limit: number;
}
