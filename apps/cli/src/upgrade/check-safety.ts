import { type Check, fail, ok, warn } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

const READ_SAFETY = loadSql(import.meta.url, 'sql/read-safety.sql');
const DAY_SECONDS = 86_400;
/** Older than this, WAL that was archived says that nobody writes, or that archiving stands still. */
const ARCHIVE_PATIENCE_SECONDS = 900;

interface SafetyRow {
  is_archiving: boolean;
  archived_ago: number | null;
  is_failing: boolean;
  verified_ago: number | null;
  last_outcome: string | null;
}

/** Whether the database could be had back, and whether its numbers are right before anything is changed. */
export async function checkSafety(database: Database): Promise<Check[]> {
  const [row] = await database.query<SafetyRow>(READ_SAFETY);
  if (row === undefined) throw new Error('read-safety.sql answers one row');
  return [judgeBackup(row), judgeVerification(row)];
}

export function judgeBackup({ is_archiving: isArchiving, archived_ago: ago, is_failing: isFailing }: SafetyRow): Check {
  const advice = 'Back up before you upgrade (docs/operations/backup.md): migrations are not undone.';
  if (!isArchiving) return warn('backup', 'PostgreSQL archives no WAL, so how old a backup is cannot be told', advice);
  if (isFailing)
    return fail('backup', 'PostgreSQL fails to archive its WAL', 'See its log: nothing newer could be restored.');
  if (ago === null) return warn('backup', 'no WAL was archived yet', advice);
  const found = `WAL archived ${age(ago)} ago`;
  return ago > ARCHIVE_PATIENCE_SECONDS ? warn('backup', found, advice) : ok('backup', found);
}

export function judgeVerification({ verified_ago: ago, last_outcome: outcome }: SafetyRow): Check {
  const advice = 'Run `hopcount verify`: what differs before the upgrade is not its doing.';
  if (outcome === 'mismatch') return fail('verification', 'the last one found numbers that differ', advice);
  if (ago === null) return warn('verification', 'none was asked of a worker yet', advice);
  const found = `numbers were right ${age(ago)} ago`;
  return ago > DAY_SECONDS ? warn('verification', found, advice) : ok('verification', found);
}

function age(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
