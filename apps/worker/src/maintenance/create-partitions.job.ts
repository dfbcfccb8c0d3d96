import { type Database, loadSql } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';

import type { JobDefinition } from '../jobs/interval-job.js';

const CREATE_PARTITIONS = loadSql(import.meta.url, 'sql/create-partitions.sql');
const TWELVE_HOURS_MS = 12 * 3_600_000;

/**
 * Keeps the ledger's months ahead of the clock. Late is harmless: what no month covers is counted in
 * the default partition. The function takes an advisory lock, so two runners are harmless too.
 */
export function createPartitionsJob(deps: { database: Database; logger: Logger }): JobDefinition {
  return {
    name: 'create-partitions',
    intervalMs: TWELVE_HOURS_MS,
    withoutLock: 'run',
    work: async function createPartitions() {
      const [row] = await deps.database.query<{ created: number }>(CREATE_PARTITIONS);
      if ((row?.created ?? 0) > 0) deps.logger.info({ created: row?.created }, 'ledger partitions created');
    },
  };
}
