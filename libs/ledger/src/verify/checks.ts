import { HOST_KINDS, VISIT_CLASSES, visitClassFromNumber } from '@hopcount/contracts';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { FED_KIND } from '../hosts/host-batches.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';

/** A damaged ledger of millions must not fill the memory of the one who looks at it. */
export const MAX_DIFFERENCES = 1_000;

/** The ledger is whole from then on: no month was dropped. */
export const EVER = '-infinity';

export interface Difference {
  check: CheckName | 'folds' | 'dimensions';
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
  /** Where buckets and sources are compared a month at a time: its end. */
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

const check = (name: string, values: (scope: Scope) => unknown[], unit: (row: Row) => string) => ({
  statement: loadSql(import.meta.url, `sql/check-${name}.sql`),
  values,
  unit,
});
const minuteOfSource = ({ source, minute }: Row) => `${source} ${minute.toISOString()}`;

/** Every statement's last parameter is how many differences it may tell. */
const CHECKS = {
  'event-ids': check(
    'duplicates',
    ({ linkId }) => [linkId],
    (row) => row.event_id,
  ),
  purges: check(
    'purges',
    ({ linkId }) => [linkId],
    (row) => row.event_id,
  ),
  buckets: check(
    'traffic',
    ({ linkId, keptFrom, before }) => [linkId, keptFrom, before],
    (row) => `${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
  ),
  scopes: check(
    'scopes',
    ({ keptFrom }) => [keptFrom],
    (row) => `${row.scope} ${row.scope_id} ${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
  ),
  /** Of each kind; '': all of them together. */
  hosts: check(
    'hosts',
    ({ keptFrom }) => [keptFrom],
    (row) => `${HOST_KINDS[row.kind]} ${row.host} ${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
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

export async function findDifferences(tx: Transaction, name: CheckName, scope: Scope): Promise<Difference[]> {
  const { statement, values, unit } = CHECKS[name];
  const rows = await tx.query<Row>(statement, [...values(scope), MAX_DIFFERENCES]);
  return rows.map((row) => {
    const { link_id: linkId = null, expected, actual } = row;
    return { check: name, linkId, unit: unit(row), expected, actual };
  });
}
