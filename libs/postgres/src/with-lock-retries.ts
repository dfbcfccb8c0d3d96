import { setTimeout as sleep } from 'node:timers/promises';

import { postgresErrorCode } from './postgres.errors.js';

/** lock_not_available, deadlock_detected */
const HELD_BY_OTHERS = new Set(['55P03', '40P01']);

export interface LockRetries {
  attempts?: number;
  pauseMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs work that wants a table for itself and gives up soon (`lock_timeout`), since everybody else waits behind
 * it; tries again after a pause in which they go on. @throws the last refusal
 */
export async function withLockRetries<T>(
  { attempts = 5, pauseMs = 2_000, signal }: LockRetries,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayRetry = HELD_BY_OTHERS.has(postgresErrorCode(error) ?? '') && attempt < attempts;
      if (!mayRetry || signal?.aborted === true) throw error;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
