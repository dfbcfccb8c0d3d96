import { loadSql } from '@hopcount/postgres';

import type { Services } from '../connections.js';
import { computeLag, type PartitionLag } from './lag.js';

const READ_CHECKPOINTS = loadSql(import.meta.url, 'sql/read-checkpoints.sql');

interface CheckpointRow {
  partition: number;
  next_offset: string;
  last_record_at: Date | null;
  lost: string;
}

/** Lag of the statistics group now. The log end is read first, so pending is never understated by counting. */
export async function readLag(services: Pick<Services, 'config' | 'database' | 'admin'>): Promise<PartitionLag[]> {
  const { config, database, admin } = services;
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
