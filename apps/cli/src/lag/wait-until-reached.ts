import { setTimeout as sleep } from 'node:timers/promises';

import type { KafkaAdmin } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import type { CliConfig } from '../cli.config.js';
import { readLag } from './read-lag.js';
import type { Terminal } from '../output/terminal.js';

const POLL_MS = 200;

/**
 * Resolves once everything that is in the visits topic now has been counted; what comes later does
 * not matter, so it ends under traffic, too.
 * @throws AppError `wait-timeout`
 */
export async function waitUntilReached(
  parts: { config: CliConfig; database: Database; admin: KafkaAdmin; terminal: Terminal },
  timeoutMs: number,
): Promise<void> {
  const { config, database, admin, terminal } = parts;
  const deadline = performance.now() + timeoutMs;
  const first = await readLag(database, admin, config);
  const ends = new Map(first.map(({ partition, logEnd }) => [partition, logEnd]));
  for (let lag = first; ; lag = await readLag(database, admin, config)) {
    // pending counts from the checkpoint: what is pending beyond the end of then came later.
    const waiting = lag.reduce((sum, { partition, logEnd, pending }) => {
      const behind = (ends.get(partition) ?? 0n) - (logEnd - pending);
      return behind > 0n ? sum + behind : sum;
    }, 0n);
    if (waiting === 0n) return;
    if (performance.now() > deadline) {
      throw new AppError(
        'wait-timeout',
        `After ${Math.round(timeoutMs / 1_000)} s ${waiting} records are not counted: is the consumer running?`,
      );
    }
    terminal.progress(`waiting: ${waiting} records to count`);
    await sleep(POLL_MS);
  }
}
