import { loadPreparedSql, type Queryable } from '@hopcount/postgres';

const READ_CHECKPOINTS = loadPreparedSql(import.meta.url, 'sql/read-checkpoints.sql');

export interface PartitionProgress {
  partition: number;
  /** Every record below is counted. */
  nextOffset: bigint;
  /** Broker's time of the last counted record, epoch milliseconds. */
  lastRecordAt: number | null;
}

/** How far `group` has counted `topic`; read it in the snapshot of the numbers it describes. */
export async function readCheckpoints(
  queryable: Queryable,
  group: string,
  topic: string,
): Promise<PartitionProgress[]> {
  const rows = await queryable.query<{ partition: number; next_offset: string; last_record_at: Date | null }>(
    READ_CHECKPOINTS,
    [group, topic],
  );
  return rows.map((row) => ({
    partition: row.partition,
    nextOffset: BigInt(row.next_offset),
    lastRecordAt: row.last_record_at?.getTime() ?? null,
  }));
}
