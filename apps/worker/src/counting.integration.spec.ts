import { setTimeout as sleep } from 'node:timers/promises';

import { testDatabase, type TestDatabase, testTopic, type TestTopic, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { RunningWorker } from './worker.js';
import { startTestWorker } from './worker.spec-helpers.js';

describe('what a worker tells of counting while no consumer is there', () => {
  let topic: TestTopic;
  let letters: TestTopic;
  let database: TestDatabase;
  let worker: RunningWorker;

  beforeAll(async () => {
    [topic, letters, database] = await Promise.all([
      testTopic({ label: 'visits' }),
      testTopic({ label: 'letters' }),
      testDatabase(),
    ]);
    await topic.configure({ 'message.timestamp.type': 'LogAppendTime', 'retention.ms': '3600000' });
    const environment = { DEAD_LETTER_TOPIC: letters.name };
    worker = await startTestWorker({ topic: topic.name, database, environment });
  });
  afterAll(async () => {
    await worker?.stop();
    await Promise.all([topic.delete(), letters.delete(), database.drop()]);
  });

  const gauge = async (name: string) => {
    const page = await (await fetch(`${worker.opsUrl}/metrics`)).text();
    return new RegExp(`^hopcount_${name}\\{.*\\} (\\S+)$`, 'm').exec(page)?.[1] ?? 'absent';
  };
  const becomes = (name: string, isRight: (value: number) => boolean) =>
    waitUntil(async () => isRight(Number(await gauge(name))), {
      ...{ describe: `hopcount_${name}`, timeoutMs: 60_000 },
    });

  it('is how many visits wait, since when, and how long Kafka keeps them', async () => {
    await becomes('visits_pending_records', (records) => records === 0);
    expect(await gauge('visits_pending_age_seconds')).toBe('0');
    await becomes('visits_retention_seconds', (seconds) => seconds === 3_600);
    await topic.produce([{ value: 'one' }, { value: 'another' }]);
    await sleep(3_000);
    await becomes('visits_pending_records', (records) => records === 2);
    await becomes('visits_pending_age_seconds', (seconds) => seconds >= 2 && seconds < 120);
    await database.query(
      `INSERT INTO consumer_checkpoints (consumer_group, topic, partition, next_offset, owner_epoch, owner)
       VALUES ($1, $2, 0, 2, 1, 'spec')`,
      [`group-${topic.name}`, topic.name],
    );
    await becomes('visits_pending_age_seconds', (seconds) => seconds === 0);
  });

  it('is how many dead letters nobody has looked after', async () => {
    await becomes('dead_letters_waiting', (waiting) => waiting === 0);
    await letters.produce([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    await becomes('dead_letters_waiting', (waiting) => waiting === 3);
    expect(await gauge('dead_letters_kept')).toBe('3');
  });

  it('is how long the oldest change of a link has not been announced', async () => {
    await becomes('outbox_oldest_age_seconds', (seconds) => seconds === 0);
  });

  it('is what /readyz says of each check', async () => {
    const page = await (await fetch(`${worker.opsUrl}/metrics`)).text();
    expect(page).toMatch(/^hopcount_health_check_status\{check="postgres",.*\} 0$/m);
    expect(page).toMatch(/^hopcount_health_check_status\{check="ready",.*\} 0$/m);
    expect(page).toMatch(/^hopcount_redis_up\{client="hopcount-worker",.*\} 1$/m);
    expect(page).toMatch(/^hopcount_postgres_connections_limit\{pool="worker",.*\} 8$/m);
  });
});
