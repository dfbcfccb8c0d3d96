import { setTimeout as sleep } from 'node:timers/promises';

import type { Database } from '@hopcount/postgres';
import { AppError, type ShowsProgress } from '@hopcount/runtime';

import { totalPending } from './lag.js';
import { type LagServices, readLag } from './read-lag.js';

const POLL_MS = 250;

export interface WaitServices extends LagServices {
  database: Database;
  shown: ShowsProgress;
}

/**
 * Resolves once everything published is counted and every committed batch has reached the ordered
 * totals: only then do all numbers have to agree.
 * @throws AppError `wait-timeout`
 */
export async function waitUntilCounted(services: WaitServices, timeoutMs: number): Promise<void> {
  return waitWhile(services.shown, timeoutMs, async () => {
    const pending = totalPending(await readLag(services));
    const [row] = await services.database.query<{ waiting: string }>('SELECT count(*) AS waiting FROM link_changes');
    const waiting = Number(row?.waiting ?? 0);
    return { left: Number(pending) + waiting, said: `${pending} events to count, ${waiting} batches to total` };
  });
}

/**
 * Resolves once everything that is in the visits topic now has been counted; what comes later does
 * not matter, so it ends under traffic, too.
 * @throws AppError `wait-timeout`
 */
export async function waitUntilReached(services: WaitServices, timeoutMs: number): Promise<void> {
  const ends = new Map((await readLag(services)).map(({ partition, logEnd }) => [partition, logEnd]));
  await waitWhile(services.shown, timeoutMs, async () => {
    // pending counts from the checkpoint: what is pending beyond the end of then came later.
    const waiting = (await readLag(services)).reduce((sum, { partition, logEnd, pending }) => {
      const behind = (ends.get(partition) ?? 0n) - (logEnd - pending);
      return behind > 0n ? sum + behind : sum;
    }, 0n);
    return { left: Number(waiting), said: `${waiting} records to count` };
  });
}

/** Until nothing is left. @throws AppError `wait-timeout` */
async function waitWhile(
  shown: ShowsProgress,
  timeoutMs: number,
  whatIsLeft: () => Promise<{ left: number; said: string }>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const progress = shown.startProgress('counted');
  let most = 0;
  for (let { left, said } = await whatIsLeft(); left > 0; { left, said } = await whatIsLeft()) {
    if (performance.now() > deadline) {
      const waited = `After ${Math.round(timeoutMs / 1_000)} s there are still`;
      throw new AppError('wait-timeout', `${waited} ${said}: is the consumer running?`);
    }
    // More may come meanwhile.
    most = Math.max(most, left);
    progress.at(most - left, { total: most, doing: said });
    await sleep(POLL_MS);
  }
  progress.end(most);
}
