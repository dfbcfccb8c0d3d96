import { setTimeout as sleepMs } from 'node:timers/promises';

/** Waits until `count` more may be done. */
export type RateLimit = (count: number) => Promise<void>;

/** At most `perSecond` on average from the first call on; undefined: no limit. No credit is saved up while idle. */
export function createRateLimit(
  perSecond: number | undefined,
  { nowMs = () => performance.now(), sleep = (ms: number) => sleepMs(ms) } = {},
): RateLimit {
  if (perSecond === undefined) return () => Promise.resolve();
  let freeAtMs = Number.NEGATIVE_INFINITY;
  return async (count) => {
    const now = nowMs();
    const startMs = Math.max(now, freeAtMs);
    freeAtMs = startMs + (count / perSecond) * 1_000;
    if (startMs > now) await sleep(startMs - now);
  };
}
