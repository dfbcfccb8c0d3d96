import type { KafkaAdmin } from '@hopcount/kafka';
import { loadSql, type Queryable } from '@hopcount/postgres';

import { computeLag, type PartitionLag } from './lag.js';

const READ_CHECKPOINTS = loadSql(import.meta.url, 'sql/read-checkpoints.sql');

interface CheckpointRow {
  partition: number;
  next_offset: string;
  last_record_at: Date | null;
  lost: string;
}

export interface LagServices {
  config: { consumerGroup: string; visitsTopic: string };
  database: Queryable;
  admin: Pick<KafkaAdmin, 'topicOffsets' | 'groupOffsets'>;
}

/** Lag of the statistics group now. The log end is read first, so pending is never understated by counting. */
export async function readLag({ config, database, admin }: LagServices): Promise<PartitionLag[]> {
  const { consumerGroup: group, visitsTopic } = config;
  const [logEnds, committed] = await Promise.all([
    admin.topicOffsets(visitsTopic),
    admin.groupOffsets(group, visitsTopic),
  ]);
  const rows = await database.query<CheckpointRow>(READ_CHECKPOINTS, [group, visitsTopic]);
  const checkpoints = rows.map((row) => ({
    partition: row.partition,
    nextOffset: BigInt(row.next_offset),
    lastRecordAt: row.last_record_at,
    lost: BigInt(row.lost),
  }));
  return computeLag({ logEnds, committed, checkpoints }, Date.now());
}
