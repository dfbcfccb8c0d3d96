import { setTimeout as sleep } from 'node:timers/promises';

import { postgresErrorCode } from '@hopcount/postgres';

const LOCK_NOT_AVAILABLE = '55P03';

export interface LockRetries {
  attempts?: number;
  pauseMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs work that wants a table for itself and gives up soon (`lock_timeout`), since everybody else waits behind
 * it; tries again after a pause in which they go on. @throws the last time-out
 */
export async function withLockRetries<T>(
  { attempts = 5, pauseMs = 2_000, signal }: LockRetries,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayRetry = postgresErrorCode(error) === LOCK_NOT_AVAILABLE && attempt < attempts;
      if (!mayRetry || signal?.aborted === true) throw error;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
