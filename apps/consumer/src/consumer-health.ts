import type { BatchService, DeadLetterWriter } from '@hopcount/kafka';
import { type Database, hashKeyHealth } from '@hopcount/postgres';
import { isRedisAvailable, type RedisClient } from '@hopcount/redis';
import type { HashKeys, Health } from '@hopcount/runtime';
import { readLosses } from '@hopcount/ledger';

const SILENCE_LIMIT_MS = 60_000;
/** How long readiness goes on saying that visits were lost: somebody has to see it. */
const LOSS_SHOWN_MS = 7 * 86_400_000;

/**
 * Ready: member of the group (with no partition of its own if there are more consumers than
 * partitions), PostgreSQL answers and no partition waits for its dead letters; Redis away, visits lost to retention, and
 * another consumer with other keys of hashes, are warnings. Alive: the consumer loop gave a sign within a minute; retrying
 * a broker that is down is a sign.
 */
export function addConsumerHealth(
  health: Health,
  parts: {
    visits: Pick<BatchService, 'groupStatus'>;
    deadLetters: Pick<DeadLetterWriter, 'stuckBecause'>;
    database: Database;
    redis: RedisClient;
    group: string;
    topic: string;
    hashKeys: HashKeys;
  },
): void {
  health.addReadiness('kafka', () => {
    const { joined, partitions } = parts.visits.groupStatus();
    return { status: joined ? 'pass' : 'fail', detail: `${partitions.length} partitions assigned` };
  });
  health.addReadiness('postgres', async () => {
    await parts.database.query('SELECT 1');
    return { status: 'pass' };
  });
  health.addReadiness('hash-keys', () => hashKeyHealth(parts.database, parts.hashKeys));
  health.addReadiness('dead-letters', () => {
    const reason = parts.deadLetters.stuckBecause();
    return reason === undefined ? { status: 'pass' } : { status: 'fail', detail: `a partition waits: ${reason}` };
  });
  health.addReadiness('retention', async () => {
    const { records, foundAt } = await readLosses(parts.database, parts);
    if (foundAt === null || Date.now() - foundAt.getTime() > LOSS_SHOWN_MS) return { status: 'pass' };
    const detail = `${records} records were removed before they were counted; last found ${foundAt.toISOString()}`;
    return { status: 'warn', detail };
  });
  health.addReadiness('redis', () => ({ status: isRedisAvailable(parts.redis) ? 'pass' : 'warn' }));
  health.addLiveness('consumer-loop', () => {
    const silentMs = Date.now() - parts.visits.groupStatus().lastSignOfLifeMs;
    return { status: silentMs < SILENCE_LIMIT_MS ? 'pass' : 'fail', detail: `last sign ${silentMs} ms ago` };
  });
}
