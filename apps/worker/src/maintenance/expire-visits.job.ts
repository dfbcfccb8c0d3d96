import { type Database, loadSql } from '@hopcount/postgres';
import type { LinkLocks } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import type { UnitFolder } from '@hopcount/ledger';

import { createWithReadLock } from '../folding/fold-units.job.js';
import type { JobDefinition } from '../jobs/interval-job.js';

const LIST_MONTH_PARTITIONS = loadSql(import.meta.url, 'sql/list-month-partitions.sql');
const LOCK_PARTITIONS = loadSql(import.meta.url, 'sql/lock-partitions.sql');
const SET_KEPT_FROM = loadSql(import.meta.url, 'sql/set-kept-from.sql');
const FORGET_PURGED = loadSql(import.meta.url, 'sql/forget-purged.sql');
const SET_LOCK_TIMEOUT = loadSql(import.meta.url, 'sql/set-lock-timeout.sql');

const DAY_MS = 24 * 3_600_000;
const SIX_HOURS_MS = 6 * 3_600_000;
/**
 * A month goes only this long after its last event became too old to be accepted: other consumers'
 * clocks may be behind, and a batch decoded before may still be waiting for its commit.
 */
const MARGIN_MS = 2 * DAY_MS;

export interface ExpireVisitsDeps {
  database: Database;
  folder: Pick<UnitFolder, 'foldRange'>;
  locks: Pick<LinkLocks, 'acquireRead'>;
  retentionDays: number;
  logger: Logger;
  nowMs?: () => number;
}

/**
 * Drops months of the ledger beyond the retention, oldest first, each only after everything in it is
 * folded. A month that cannot be folded whole stays, and so do those after it (what is kept has no
 * holes): disk is cheaper than numbers.
 */
export function createExpireVisitsJob(deps: ExpireVisitsDeps): JobDefinition {
  const { database, folder, logger } = deps;
  const nowMs = deps.nowMs ?? Date.now;
  return {
    name: 'expire-visits',
    intervalMs: SIX_HOURS_MS,
    withoutLock: 'skip',
    work: async function expireVisits(signal) {
      const rows = await database.query<{ name: string }>(LIST_MONTH_PARTITIONS);
      const months = expiredMonths(
        rows.map((row) => row.name),
        nowMs() - deps.retentionDays * DAY_MS - MARGIN_MS,
      );
      for (const month of months) {
        if (signal.aborted) return;
        const options = { signal, withReadLock: createWithReadLock(deps.locks) };
        const folded = await folder.foldRange(month.fromMs, month.toMs, options);
        if (folded.more || folded.mismatches > 0 || folded.conflicts > 0 || folded.failed.length > 0) {
          logger.error({ month: month.name, folded }, 'ledger month kept: it could not be folded whole');
          return;
        }
        await drop(month);
        logger.info({ month: month.name, folded }, 'ledger month folded and dropped');
      }
    },
  };

  async function drop(month: LedgerMonth): Promise<void> {
    await database.transaction(async (tx) => {
      await tx.query(SET_LOCK_TIMEOUT);
      await tx.query(LOCK_PARTITIONS);
      // An identifier cannot be a parameter; the name is one list-month-partitions.sql let through.
      await tx.query(`ALTER TABLE visits DETACH PARTITION ${month.name}`);
      await tx.query(`DROP TABLE ${month.name}`);
      // Verifier and folder must not take the missing rows for damage.
      await tx.query(SET_KEPT_FROM, [new Date(month.toMs)]);
      await tx.query(FORGET_PURGED, [new Date(month.toMs)]);
    });
  }
}

export interface LedgerMonth {
  name: string;
  fromMs: number;
  toMs: number;
}

/** The months (UTC) among `visits_YYYY_MM` that end at or before the horizon, oldest first. */
export function expiredMonths(partitions: readonly string[], horizonMs: number): LedgerMonth[] {
  const months = partitions.flatMap((name) => {
    const match = /^visits_(\d{4})_(\d{2})$/.exec(name);
    if (match === null) return [];
    const [year, month] = [Number(match[1]), Number(match[2])];
    return [{ name, fromMs: Date.UTC(year, month - 1), toMs: Date.UTC(year, month) }];
  });
  return months.filter((month) => month.toMs <= horizonMs).sort((a, b) => a.fromMs - b.fromMs);
}
