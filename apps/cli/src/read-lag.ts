import { STATISTICS_GROUP, VISITS_TOPIC } from '@hopcount/contracts';
import type { KafkaAdmin } from '@hopcount/kafka';
import { type Database, loadSql } from '@hopcount/postgres';

import { computeLag, type PartitionLag } from './lag.js';

const READ_CHECKPOINTS = loadSql(import.meta.url, 'sql/read-checkpoints.sql');

interface CheckpointRow {
  partition: number;
  next_offset: string;
  last_record_at: Date | null;
}

/** Lag of the statistics group now. The log end is read first, so pending is never understated by counting. */
export async function readLag(database: Database, admin: KafkaAdmin): Promise<PartitionLag[]> {
  const [logEnds, committed] = await Promise.all([
    admin.topicOffsets(VISITS_TOPIC),
    admin.groupOffsets(STATISTICS_GROUP, VISITS_TOPIC),
  ]);
  const rows = await database.query<CheckpointRow>(READ_CHECKPOINTS, [STATISTICS_GROUP, VISITS_TOPIC]);
  const checkpoints = rows.map((row) => ({
    partition: row.partition,
    nextOffset: BigInt(row.next_offset),
    lastRecordAt: row.last_record_at,
  }));
  return computeLag({ logEnds, committed, checkpoints }, Date.now());
}
