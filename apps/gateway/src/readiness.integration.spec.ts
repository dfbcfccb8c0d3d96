import { rmSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  FreezingProxy,
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  testTopic,
  type TestTopic,
  waitUntil,
} from '@hopcount/testing';

import { gatewayEnvironment, insertLink, startGateway, TEST_DOMAIN, type TestGateway } from './gateway.spec-helpers.js';

describe('readiness while PostgreSQL hangs', () => {
  let database: TestDatabase;
  let topic: TestTopic;
  let redis: TestRedis;
  let proxy: FreezingProxy;
  let gateway: TestGateway;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await testDatabase();
    topic = await testTopic({ label: 'readiness' });
    redis = await testRedis();
    await insertLink(database, { code: 'known' });
    const target = new URL(database.url);
    proxy = await FreezingProxy.listen(target);
    const more = { DATABASE_URL: proxy.through(target), REDIS_URL: redis.url };
    environment = gatewayEnvironment({ database, topic, audits: topic, more });
    gateway = await startGateway(environment);
  });

  afterAll(async () => {
    await proxy?.close();
    await gateway?.close();
    await topic?.delete();
    await redis?.close();
    await database?.drop();
    rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
  });

  const readiness = async () => {
    const check = (body: string) => (JSON.parse(body) as { checks: Record<string, unknown> }).checks['postgresql'];
    const { status, body } = await gateway.ask('/readyz');
    return { status, told: check(body), check: check(await gateway.operations('/readyz')) };
  };

  it('is a warning: known links come from the caches', async () => {
    const headers = { host: TEST_DOMAIN };
    expect((await gateway.ask('/known', { headers })).status).toBe(302);
    expect(await readiness()).toEqual({ status: 200, told: { status: 'pass' }, check: { status: 'pass' } });
    proxy.freeze();
    const asked = await Promise.all([readiness(), readiness(), readiness()]);
    for (const answer of asked) {
      const check = { status: 'warn', detail: 'no answer in 1000 ms' };
      expect(answer).toEqual({ status: 200, told: { status: 'warn' }, check });
    }
    expect(proxy.swallowed).toBeGreaterThan(0);
    expect((await gateway.ask('/known', { headers })).status).toBe(302);
    proxy.thaw();
    await waitUntil(async () => JSON.stringify((await readiness()).check) === '{"status":"pass"}', {
      describe: 'PostgreSQL answering again',
    });
  });
});
