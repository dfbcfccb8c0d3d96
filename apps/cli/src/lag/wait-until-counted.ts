import { setTimeout as sleep } from 'node:timers/promises';

import type { KafkaAdmin } from '@hopcount/kafka';
import { type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import type { CliConfig } from '../cli.config.js';
import { totalPending } from './lag.js';
import { readLag } from './read-lag.js';
import type { Terminal } from '../output/terminal.js';

const COUNT_LINK_CHANGES = loadSql(import.meta.url, 'sql/count-link-changes.sql');
const POLL_MS = 250;

/**
 * Resolves once everything published is counted and every committed batch has reached the ordered
 * totals: only then do all numbers have to agree.
 * @throws AppError `wait-timeout`
 */
export async function waitUntilCounted(
  parts: { config: CliConfig; database: Database; admin: KafkaAdmin; terminal: Terminal },
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const pending = totalPending(await readLag(parts.database, parts.admin, parts.config));
    const [row] = await parts.database.query<{ waiting: string }>(COUNT_LINK_CHANGES);
    const waiting = Number(row?.waiting ?? 0);
    if (pending === 0n && waiting === 0) return;
    if (performance.now() > deadline) {
      throw new AppError(
        'wait-timeout',
        `After ${Math.round(timeoutMs / 1_000)} s ${pending} events are not counted and ${waiting} batches not totalled: is the consumer running?`,
      );
    }
    parts.terminal.progress(`waiting: ${pending} events to count, ${waiting} batches to total`);
    await sleep(POLL_MS);
  }
}
