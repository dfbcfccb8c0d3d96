import { STATISTICS_GROUP, VISITS_TOPIC } from '@hopcount/contracts';

import { runCli } from '../harness/cli.js';
import type { BenchStack } from './bench-stack.js';

/** Offsets of the visits' topic counted so far, over all partitions; one never read has no row yet. */
export async function countedOffsets({ pool }: Pick<BenchStack, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ counted: string }>(
    `SELECT coalesce(sum(next_offset), 0) AS counted FROM consumer_checkpoints WHERE consumer_group = $1 AND topic = $2`,
    [STATISTICS_GROUP, VISITS_TOPIC],
  );
  return Number(rows[0]?.counted);
}

/** Visits the ledger holds. */
export async function countedVisits({ pool }: Pick<BenchStack, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ visits: string }>('SELECT count(*) AS visits FROM visits');
  return Number(rows[0]?.visits);
}

/** Whether `hopcount verify` finds every number right, once all is counted. */
export async function isVerified({ stack }: Pick<BenchStack, 'stack'>): Promise<boolean> {
  return (await runCli(stack.file, 'verify', '--wait')).code === 0;
}
