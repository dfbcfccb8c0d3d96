import type { SourceAuditV1 } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

import { keyOf, type PartitionRef } from '../commit/checkpoint.js';
import { fenced } from '../commit/partition-checkpoints.js';

const STORE_AUDITS = loadSql(import.meta.url, 'sql/store-audits.sql');
const BEGIN_POSITION = loadSql(import.meta.url, 'sql/begin-position.sql');
const MOVE_POSITION = loadSql(import.meta.url, 'sql/move-position.sql');

/**
 * Gateways' reports in PostgreSQL, with the place of the topic up to which they are there: a database
 * restored from a backup reads on from where it was, whatever Kafka's offset says.
 */
export class SourceAudits {
  constructor(private readonly database: Database) {}

  /** Where to read on: where this database stands, or the log's first offset when the log has no such place. */
  async position(ref: PartitionRef, log: { low: bigint; high: bigint }): Promise<bigint> {
    const [row] = await this.database.query<{ next_offset: string }>(BEGIN_POSITION, [
      ...keyOf(ref),
      log.low.toString(),
      log.high.toString(),
    ]);
    if (row === undefined) throw new Error('begin-position.sql returned no row');
    return BigInt(row.next_offset);
  }

  /**
   * Stores reports (per process and minute the one with the highest sequence) and moves the position.
   * @throws AppError `checkpoint-fenced`: the position is not where the caller left it; nothing was stored.
   */
  async store(ref: PartitionRef, move: { from: bigint; to: bigint }, reports: readonly SourceAuditV1[]): Promise<void> {
    const newest = newestOf(reports);
    await this.database.transaction(async (tx) => {
      const moved = await tx.execute(MOVE_POSITION, [...keyOf(ref), move.from.toString(), move.to.toString()]);
      if (moved.affected !== 1) throw fenced({ ...ref, epoch: 0n, nextOffset: move.from });
      if (newest.length === 0) return;
      await tx.query(STORE_AUDITS, [
        newest.map((report) => report.source),
        newest.map((report) => new Date(report.minute).toISOString()),
        newest.map((report) => report.sequence),
        newest.map((report) => report.visits),
        newest.map((report) => report.checksum),
        newest.map((report) => report.answered),
        newest.map((report) => report.refused),
        newest.map((report) => report.inDoubt),
        newest.map((report) => report.final),
      ]);
    });
  }
}

/** One statement may not meet a row twice. */
function newestOf(reports: readonly SourceAuditV1[]): SourceAuditV1[] {
  const newest = new Map<string, SourceAuditV1>();
  for (const report of reports) {
    const key = `${report.minute} ${report.source}`;
    if ((newest.get(key)?.sequence ?? 0) < report.sequence) newest.set(key, report);
  }
  return [...newest.values()];
}
