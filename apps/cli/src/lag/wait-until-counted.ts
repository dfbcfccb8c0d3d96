import { setTimeout as sleep } from 'node:timers/promises';

import { AppError } from '@hopcount/runtime';

import type { Services } from '../connections.js';
import type { Terminal } from '../output/terminal.js';

const POLL_MS = 250;

/**
 * Resolves once everything published is counted and every committed batch has reached the ordered
 * totals: only then do all numbers have to agree.
 * @throws AppError `wait-timeout`
 */
export async function waitUntilCounted(services: Services, timeoutMs: number): Promise<void> {
  const { readLag, totalPending } = await import('@hopcount/ledger');
  return waitWhile(services.terminal, timeoutMs, async () => {
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
export async function waitUntilReached(services: Services, timeoutMs: number): Promise<void> {
  const { readLag } = await import('@hopcount/ledger');
  const ends = new Map((await readLag(services)).map(({ partition, logEnd }) => [partition, logEnd]));
  await waitWhile(services.terminal, timeoutMs, async () => {
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
  terminal: Terminal,
  timeoutMs: number,
  whatIsLeft: () => Promise<{ left: number; said: string }>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const progress = terminal.startProgress('counted');
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
