import type { DeadLetterWriter, KafkaBatchStrategy } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';
import { isRedisAvailable, type RedisClient } from '@hopcount/redis';
import type { Health } from '@hopcount/runtime';

const SILENCE_LIMIT_MS = 60_000;

/**
 * Ready: member of the group (with no partition of its own if there are more consumers than
 * partitions), PostgreSQL answers and no partition waits for its dead letters; Redis away is a warning. Alive: the consumer loop gave a sign
 * within a minute; retrying a broker that is down is a sign.
 */
export function addConsumerHealth(
  health: Health,
  parts: {
    strategy: Pick<KafkaBatchStrategy, 'groupStatus'>;
    deadLetters: Pick<DeadLetterWriter, 'stuckBecause'>;
    database: Database;
    redis: RedisClient;
  },
): void {
  health.addReadiness('kafka', () => {
    const { joined, partitions } = parts.strategy.groupStatus();
    return { status: joined ? 'pass' : 'fail', detail: `${partitions.length} partitions assigned` };
  });
  health.addReadiness('postgres', async () => {
    await parts.database.query('SELECT 1');
    return { status: 'pass' };
  });
  health.addReadiness('dead-letters', () => {
    const reason = parts.deadLetters.stuckBecause();
    return reason === undefined ? { status: 'pass' } : { status: 'fail', detail: `a partition waits: ${reason}` };
  });
  health.addReadiness('redis', () => ({ status: isRedisAvailable(parts.redis) ? 'pass' : 'warn' }));
  health.addLiveness('consumer-loop', () => {
    const silentMs = Date.now() - parts.strategy.groupStatus().lastSignOfLifeMs;
    return { status: silentMs < SILENCE_LIMIT_MS ? 'pass' : 'fail', detail: `last sign ${silentMs} ms ago` };
  });
}
