import type { Database } from '@hopcount/postgres';
import { isRedisAvailable, type RedisClient } from '@hopcount/redis';
import type { Health } from '@hopcount/runtime';

/** Ready: PostgreSQL answers. Redis away is a warning: jobs that PostgreSQL fences go on without its lock. */
export function addWorkerHealth(health: Health, parts: { database: Database; redis: RedisClient }): void {
  health.addReadiness('postgres', async () => {
    await parts.database.query('SELECT 1');
    return { status: 'pass' };
  });
  health.addReadiness('redis', () => ({ status: isRedisAvailable(parts.redis) ? 'pass' : 'warn' }));
}
