import { HOST_KINDS, VISIT_CLASSES, visitClassFromNumber } from '@hopcount/contracts';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { BUCKET_MS, bucketOf, DAY_MS, HOUR_MS, type InstantRange } from '../buckets.js';
import { FED_KIND } from '../hosts/host-batches.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';
import type { Doubt } from './doubted-sums.js';

/** A damaged ledger of millions must not fill the memory of the one who looks at it. */
export const MAX_DIFFERENCES = 1_000;

/** The ledger is whole from then on: no month was dropped. */
export const EVER = '-infinity';

/** Of a check that found so many the others are not known. */
export const ANY_TIME: InstantRange = { from: 0, to: Date.UTC(9999, 0) };

export type DifferenceCheck = CheckName | 'folds' | 'dimensions';

export interface Difference {
  check: DifferenceCheck;
  /** null where the check is not about one link. */
  linkId: string | null;
  /** What of it differs: a bucket, a minute, a fold, a value of a dimension. */
  unit: string;
  /** From the ledger. */
  expected: unknown;
  /** As kept. */
  actual: unknown;
}

export interface Scope {
  linkId: string | null;
  /** Instant as PostgreSQL reads it from which the ledger is whole. */
  keptFrom: string;
  /** And the rows beside it: what gateways made durable and reported. */
  auditedFrom: string;
  /** Buckets, scopes, hosts and sources are compared in a part of all time. */
  from: string;
  before: string;
}

/** Columns of the statements' answers; each has those that its `unit` names. */
interface Row {
  link_id?: string;
  expected: unknown;
  actual: unknown;
  event_id: string;
  bucket: Date;
  class: number;
  scope: string;
  scope_id: string;
  kind: number;
  host: string;
  day_start: Date;
  part: string;
  source: string;
  minute: Date;
  potential_bot: boolean;
  tag: string;
}

/** `range` of the sums that differ; absent: they are of all time. */
const check = (
  name: string,
  values: (scope: Scope) => unknown[],
  unit: (row: Row) => string,
  range: (row: Row) => InstantRange | undefined = () => undefined,
) => ({ statement: loadSql(import.meta.url, `sql/check-${name}.sql`), values, unit, range });
const bucketOfRow = ({ bucket }: Row) => ({ from: bucket.getTime(), to: bucket.getTime() + BUCKET_MS });
/** Days of all zones are no longer than that. */
const dayOfRow = ({ day_start: start }: Row) => ({ from: start.getTime(), to: start.getTime() + DAY_MS + 2 * HOUR_MS });
/** The time is in the id (UUIDv7). */
function bucketOfVisit({ event_id: id }: Row): InstantRange {
  const from = bucketOf(Number.parseInt(id.replace('-', '').slice(0, 12), 16));
  return { from, to: from + BUCKET_MS };
}
const minuteOfSource = ({ source, minute }: Row) => `${source} ${minute.toISOString()}`;

/** Every statement's last parameter is how many differences it may tell. */
const CHECKS = {
  'event-ids': check(
    'duplicates',
    ({ linkId }) => [linkId],
    (row) => row.event_id,
    bucketOfVisit,
  ),
  purges: check(
    'purges',
    ({ linkId }) => [linkId],
    (row) => row.event_id,
    bucketOfVisit,
  ),
  buckets: check(
    'traffic',
    ({ linkId, from, before }) => [linkId, from, before],
    (row) => `${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
    bucketOfRow,
  ),
  scopes: check(
    'scopes',
    ({ keptFrom, from, before }) => [keptFrom, from, before],
    (row) => `${row.scope} ${row.scope_id} ${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
    bucketOfRow,
  ),
  /** Of each kind; '': all of them together. */
  hosts: check(
    'hosts',
    ({ keptFrom, from, before }) => [keptFrom, from, before],
    (row) => `${HOST_KINDS[row.kind]} ${row.host} ${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
    bucketOfRow,
  ),
  'host-totals': check(
    'host-totals',
    () => [],
    (row) => `${HOST_KINDS[row.kind]} ${row.host} ${visitClassFromNumber(row.class)}`,
  ),
  'host-sums': check(
    'host-sums',
    () => [],
    (row) => `${HOST_KINDS[row.kind]} ${row.host}`,
  ),
  /** '': of all hosts together. */
  fed: check(
    'fed',
    () => [FED_KIND],
    ({ host }) => host,
  ),
  days: check(
    'days',
    () => [VISIT_CLASSES],
    (row) => `${row.scope} ${row.scope_id} ${row.day_start.toISOString()} ${row.part}`,
    dayOfRow,
  ),
  sources: check('sources', ({ auditedFrom, before }) => [auditedFrom, before], minuteOfSource),
  /** `expected` is what the gateway says it made durable, `actual` what is accounted for. */
  audits: check('audits', ({ auditedFrom }) => [auditedFrom], minuteOfSource),
  slots: check(
    'slots',
    ({ linkId, keptFrom }) => [linkId, BOT_CLASSES, keptFrom !== EVER],
    (row) => (row.potential_bot ? 'bots' : 'non-bots'),
  ),
  /** Of a link's limit: how much of it is used, or the limit itself. */
  limits: check(
    'limits',
    ({ linkId }) => [linkId],
    ({ part }) => part,
  ),
  totals: check(
    'totals',
    ({ linkId, keptFrom }) => [linkId, BOT_CLASSES, keptFrom !== EVER],
    () => 'all time',
  ),
  tags: check(
    'tags',
    () => [],
    (row) => row.tag,
  ),
};

export type CheckName = keyof typeof CHECKS;

/** What a check found, and what is in doubt because of it. */
export interface Found {
  differences: Difference[];
  doubts: Doubt[];
}

export async function findDifferences(tx: Transaction, name: CheckName, scope: Scope): Promise<Found> {
  const { statement, values, unit, range } = CHECKS[name];
  const rows = await tx.query<Row>(statement, [...values(scope), MAX_DIFFERENCES]);
  const differences = rows.map((row) => {
    const { link_id: linkId = null, expected, actual } = row;
    return { check: name, linkId, unit: unit(row), expected, actual };
  });
  const areAllKnown = rows.length < MAX_DIFFERENCES;
  return {
    differences,
    doubts: rows.map((row) => {
      const found = range(row);
      return { checks: [name], range: areAllKnown || found === undefined ? found : ANY_TIME };
    }),
  };
}
