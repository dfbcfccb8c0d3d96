import { setTimeout as sleep } from 'node:timers/promises';

import { Redis } from 'ioredis';

/** FLUSHALL. @returns how many keys it forgot */
export async function flushRedis(url: string): Promise<number> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    const keys = await redis.dbsize();
    await redis.flushall();
    return keys;
  } finally {
    redis.disconnect();
  }
}

const NOSCRIPT_WITHIN_MS = 20_000;

/** SCRIPT FLUSH. @returns how many EVALSHA were answered NOSCRIPT after it; waits for the first */
export async function flushScripts(url: string): Promise<number> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  const noScripts = async () => Number(/errorstat_NOSCRIPT:count=(\d+)/.exec(await redis.info('errorstats'))?.[1] ?? 0);
  try {
    const before = await noScripts();
    await redis.script('FLUSH');
    const deadlineMs = Date.now() + NOSCRIPT_WITHIN_MS;
    while ((await noScripts()) === before && Date.now() < deadlineMs) await sleep(50);
    return (await noScripts()) - before;
  } finally {
    redis.disconnect();
  }
}
