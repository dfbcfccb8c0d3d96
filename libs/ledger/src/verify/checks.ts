import { visitClassFromNumber } from '@hopcount/contracts';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { BOT_CLASSES } from '../slots/bot-classes.js';

const CHECK_DUPLICATES = loadSql(import.meta.url, 'sql/check-duplicates.sql');
const CHECK_TRAFFIC = loadSql(import.meta.url, 'sql/check-traffic.sql');
const CHECK_SOURCES = loadSql(import.meta.url, 'sql/check-sources.sql');
const CHECK_SLOTS = loadSql(import.meta.url, 'sql/check-slots.sql');
const CHECK_PURGES = loadSql(import.meta.url, 'sql/check-purges.sql');
const CHECK_TOTALS = loadSql(import.meta.url, 'sql/check-totals.sql');

/** A damaged ledger of millions must not fill the memory of the one who looks at it. */
export const MAX_DIFFERENCES = 1_000;

export interface Difference {
  check: 'event-ids' | 'buckets' | 'sources' | 'audits' | 'slots' | 'totals' | 'purges' | 'folds' | 'dimensions';
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
}

export async function checkDuplicates(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ link_id: string; event_id: string; rows: number }>(CHECK_DUPLICATES, [
    scope.linkId,
    MAX_DIFFERENCES,
  ]);
  return rows.map((row) => ({
    check: 'event-ids',
    linkId: row.link_id,
    unit: row.event_id,
    expected: 1,
    actual: row.rows,
  }));
}

export async function checkTraffic(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ link_id: string; bucket: Date; class: number; expected: unknown; actual: unknown }>(
    CHECK_TRAFFIC,
    [scope.linkId, scope.keptFrom, MAX_DIFFERENCES],
  );
  return rows.map((row) => ({
    check: 'buckets',
    linkId: row.link_id,
    unit: `${row.bucket.toISOString()} ${visitClassFromNumber(row.class)}`,
    expected: row.expected,
    actual: row.actual,
  }));
}

export async function checkSources(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ source: string; minute: Date; expected: unknown; actual: unknown }>(CHECK_SOURCES, [
    scope.keptFrom,
    MAX_DIFFERENCES,
  ]);
  return rows.map((row) => ({
    check: 'sources',
    linkId: null,
    unit: `${row.source} ${row.minute.toISOString()}`,
    expected: row.expected,
    actual: row.actual,
  }));
}

export async function checkSlots(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ link_id: string; potential_bot: boolean; expected: number; actual: number }>(
    CHECK_SLOTS,
    [scope.linkId, BOT_CLASSES, MAX_DIFFERENCES],
  );
  return rows.map((row) => ({
    check: 'slots',
    linkId: row.link_id,
    unit: row.potential_bot ? 'bots' : 'non-bots',
    expected: row.expected,
    actual: row.actual,
  }));
}

export async function checkTotals(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ link_id: string; expected: unknown; actual: unknown }>(CHECK_TOTALS, [
    scope.linkId,
    BOT_CLASSES,
    MAX_DIFFERENCES,
  ]);
  return rows.map((row) => ({
    check: 'totals',
    linkId: row.link_id,
    unit: 'all time',
    expected: row.expected,
    actual: row.actual,
  }));
}

export async function checkPurges(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ link_id: string; event_id: string }>(CHECK_PURGES, [scope.linkId, MAX_DIFFERENCES]);
  return rows.map((row) => ({
    check: 'purges',
    linkId: row.link_id,
    unit: row.event_id,
    expected: 'purged',
    actual: 'in the ledger',
  }));
}
