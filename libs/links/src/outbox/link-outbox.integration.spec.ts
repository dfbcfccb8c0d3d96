import { Database } from '@hopcount/postgres';
import { createRedis, type RedisClient, RedisSubscription, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { LinkOutbox } from './link-outbox.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const CHANNEL = 'hc:link-changes';

describe('announcements of changed links', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let subscription: RedisSubscription;
  let told: { domain: string; code?: string }[];

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'outbox-spec' });
    redis = createRedis({ url: server.url, name: 'test', logger, commandTimeoutMs: 60_000 });
    await waitForRedis(redis, 5_000);
    await given.query(`INSERT INTO domains (authority) VALUES ('short.test')`);
    await given.query(`
      INSERT INTO links (id, domain_id, code, long_url, version)
      SELECT 1000 + n, domains.id, 'code' || n, 'https://example.com/', 2 FROM domains, generate_series(1, 1200) AS n`);
    await new Promise<void>((onSubscribed) => {
      subscription = new RedisSubscription({ url: server.url, name: 'subscriber', logger }, CHANNEL, {
        onSubscribed,
        onMessage: (message) => told.push(...(JSON.parse(message) as typeof told)),
      });
    });
  });
  beforeEach(async () => {
    told = [];
    await given.query('TRUNCATE link_outbox');
  });
  afterAll(async () => {
    redis.disconnect();
    subscription.close();
    await database.close();
    await server.close();
    await given.drop();
  });

  const waiting = async () => Number((await given.query('SELECT count(*) AS n FROM link_outbox'))[0]?.['n']);
  const change = (from: number, to: number) =>
    given.query('INSERT INTO link_outbox (link_id) SELECT 1000 + n FROM generate_series($1::int, $2::int) AS n', [
      from,
      to,
    ]);

  it('hold no transaction and no row of PostgreSQL while Redis does not answer, and are made when it does', async () => {
    await change(1, 3);
    const outbox = new LinkOutbox(database, redis, logger);
    server.freeze();
    const announced = outbox.announce();
    await announced;
    const open = `
      SELECT FROM pg_stat_activity WHERE application_name = 'outbox-spec' AND state LIKE 'idle in transaction%'`;
    expect(await given.query(open)).toEqual([]);
    // Whoever wants the rows gets them.
    expect(await given.query('SELECT id FROM link_outbox FOR UPDATE SKIP LOCKED')).toHaveLength(3);
    server.thaw();
    await waitUntil(async () => (await waiting()) === 0, { describe: 'the announcement' });
    expect(told.map(({ code }) => code).sort()).toEqual(['code1', 'code2', 'code3']);
    await outbox.close();
  });

  it('are made each at least once by processes that deliver the same rows at once, and all go', async () => {
    await change(1, 1_200);
    await change(1, 10);
    // Of a link that is gone for good.
    await given.query('INSERT INTO link_outbox (link_id) VALUES (99)');
    const outboxes = [1, 2, 3].map(() => new LinkOutbox(database, redis, logger));
    await Promise.all(outboxes.map((outbox) => outbox.announce()));
    await waitUntil(async () => (await waiting()) === 0, { describe: 'all rows gone' });
    await Promise.all(outboxes.map((outbox) => outbox.close()));
    await waitUntil(() => new Set(told.map(({ code }) => code)).size === 1_200, { describe: 'each link told' });
  });

  it('do not take a change with them that comes between the reading and the deletion', async () => {
    await change(1, 1);
    const outbox = new LinkOutbox(database, redis, logger);
    server.freeze();
    await outbox.announce();
    await change(1, 1);
    server.thaw();
    await waitUntil(() => told.length >= 2, { describe: 'both announcements' });
    await waitUntil(async () => (await waiting()) === 0, { describe: 'all rows gone' });
    await outbox.close();
  });
});
