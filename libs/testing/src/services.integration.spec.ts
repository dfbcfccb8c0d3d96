import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { buildVisitEvent, visitRecord } from './build-visit-event.js';
import { assertSameIds } from './invariants.js';
import { assertTestDatabaseName, testDatabase, type TestDatabase } from './test-database.js';
import { testRedisServer, type TestRedis } from './test-redis.js';
import { testTopic, type TestTopic } from './test-topic.js';

describe('testDatabase', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  it('has the migrated schema, with partitions for now, and says what was applied', async () => {
    const partitions = await database.query('SELECT 1 FROM pg_inherits WHERE inhparent = $1::regclass', ['visits']);
    expect(partitions.length).toBeGreaterThan(3);
    const applied = await database.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id');
    expect(applied[0]?.name).toMatch(/^Foundation\d{13}$/);
  });

  it('is not shared with the next one', async () => {
    const other = await testDatabase();
    await other.query('CREATE TABLE only_here (id int)');
    const [row] = await database.query<{ found: string | null }>("SELECT to_regclass('only_here')::text AS found");
    expect(row?.found).toBeNull();
    await other.drop();
    await other.drop();
  });

  it('can be empty', async () => {
    const empty = await testDatabase({ schema: 'empty' });
    const tables = await empty.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
    expect(tables).toHaveLength(0);
    await empty.drop();
  });

  it('survives its sessions being ended', async () => {
    await Promise.all([database.query('SELECT pg_sleep(0.05)'), database.query('SELECT pg_sleep(0.05)')]);
    expect(await database.disconnectOthers()).toBeGreaterThan(0);
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('deletes nothing that is not a test database', () => {
    expect(() => assertTestDatabaseName('hopcount')).toThrow(/refusing/);
    expect(() => assertTestDatabaseName('test"; DROP DATABASE x')).toThrow(/refusing/);
  });
});

describe('testRedisServer', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await testRedisServer();
  });
  afterAll(() => redis.close());

  it('is private and may be stopped, killed and started again', async () => {
    await redis.client.set('key', 'value');
    await redis.stop();
    await redis.start();
    expect(await redis.client.get('key')).toBeNull();
    await redis.kill();
    await redis.start();
    expect(await redis.client.ping()).toBe('PONG');
  });

  it('can be frozen', async () => {
    redis.freeze();
    const answer = redis.client.ping();
    const early = await Promise.race([answer, new Promise((resolve) => setTimeout(() => resolve('silence'), 100))]);
    expect(early).toBe('silence');
    redis.thaw();
    expect(await answer).toBe('PONG');
  });
});

describe('testTopic', () => {
  let topic: TestTopic;
  beforeAll(async () => {
    topic = await testTopic({ partitions: 3, label: 'testing' });
  });
  afterAll(() => topic.delete());

  it('reads back what was produced, with keys, headers and chosen partitions', async () => {
    const visits = Array.from({ length: 50 }, () => buildVisitEvent());
    await topic.produce(visits.map(visitRecord));
    // One key, three partitions: only an explicit partition can do that.
    await topic.produce(
      [0, 1, 2].map((partition) => ({ key: 'raw', value: null, partition, headers: { note: `to ${partition}` } })),
    );
    const records = await topic.readAll();
    const keys = records.map((record) => record.key?.toString() ?? '');
    assertSameIds(
      visits.map((visit) => visit.eventId),
      keys.filter((key) => key !== 'raw'),
    );
    const raw = records.filter((record) => record.value === null);
    expect(raw.map(({ partition, headers }) => [partition, headers.note?.toString()])).toEqual([
      [0, 'to 0'],
      [1, 'to 1'],
      [2, 'to 2'],
    ]);
    for (const { partition } of await topic.offsets()) {
      const offsets = records.filter((record) => record.partition === partition).map(({ offset }) => Number(offset));
      expect(offsets.sort((a, b) => a - b)).toEqual(offsets.map((_, index) => index));
    }
  });
});
