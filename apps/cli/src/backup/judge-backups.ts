import type { Check } from '@hopcount/ledger';

import type { Backup } from './pgbackrest.js';

const HOUR_MS = 3_600_000;
const FOREVER = -1;

/** As doctor says it. */
export async function judgeLastBackup(
  backups: readonly Backup[] | undefined,
  { maxAgeHours, nowMs }: { maxAgeHours: number; nowMs: number },
): Promise<Check> {
  const { fail, ok } = await import('@hopcount/ledger');
  const last = backups?.at(-1);
  if (last === undefined) return fail('backup', 'there is none', 'Run `hopcount backup --execute`.');
  const hours = (nowMs - last.endedMs) / HOUR_MS;
  const found = `the last one (${last.label}) is ${hours.toFixed(1)} hours old`;
  if (hours <= maxAgeHours) return ok('backup', found);
  return fail(
    'backup',
    `${found}, ${maxAgeHours} may it be`,
    'Run `hopcount backup --execute`, and look why none was made.',
  );
}

/**
 * What was counted after a backup and is not in archived WAL is counted again from Kafka, while that has it: of a backup
 * older than the topic's retention counts may be lost.
 */
export function olderThanRetention(backups: readonly Backup[], retentionMs: number, nowMs: number): Backup[] {
  return retentionMs === FOREVER ? [] : backups.filter(({ endedMs }) => nowMs - endedMs > retentionMs);
}
