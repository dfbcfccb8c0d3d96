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

describe('a gateway whose database counts from another Kafka cluster', () => {
  it('redirects as ever, and warns', async () => {
    const [database, topic, redis] = await Promise.all([testDatabase(), testTopic({ label: 'other' }), testRedis()]);
    await insertLink(database, { code: 'known' });
    const environment = gatewayEnvironment({ database, topic, audits: topic, more: { REDIS_URL: redis.url } });
    const gateway = await startGateway(environment);
    const readiness = async () => {
      const { status, checks } = JSON.parse(await gateway.operations('/readyz')) as {
        status: string;
        checks: Record<string, { status: string; detail?: string }>;
      };
      return { status, check: checks['kafka-cluster'] };
    };
    try {
      await database.query(`INSERT INTO ledger_cluster (cluster_id) VALUES ('elsewhere')`);
      await waitUntil(async () => (await readiness()).check?.status === 'warn', { describe: 'the warning' });
      expect(await readiness()).toEqual({
        status: 'warn',
        check: { status: 'warn', detail: expect.stringMatching(/but this database counts those of cluster elsewhere/) },
      });
      expect((await gateway.ask('/known', { headers: { host: TEST_DOMAIN } })).status).toBe(302);
      expect((await gateway.ask('/readyz')).status).toBe(200);
    } finally {
      await gateway.close();
      await Promise.all([topic.delete(), redis.close(), database.drop()]);
      rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
    }
  });
});
