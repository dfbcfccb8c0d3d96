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
