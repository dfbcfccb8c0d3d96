import { rmSync } from 'node:fs';

import { decodeOrphanVisit } from '@hopcount/contracts';
import { BlockStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase, testTopic, type TestTopic, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  gatewayEnvironment,
  insertLink,
  startGateway,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

const GOOD = 'https://good.example/';
const EVIL = 'https://www.evil.example/';
const ALWAYS = [{ longUrl: GOOD, conditions: [{ type: 'any-value-query-param', matchKey: 'good' }] }];

describe('a gateway sends nobody to what is blocked', () => {
  let given: TestDatabase;
  let database: Database;
  let blocks: BlockStore;
  let topics: TestTopic[];
  let gateway: TestGateway;
  let environment: Record<string, string>;

  beforeAll(async () => {
    given = await testDatabase();
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    blocks = new BlockStore(database);
    topics = await Promise.all(['visits', 'audits', 'orphans'].map((label) => testTopic({ label })));
    const [topic, audits, orphans] = topics as [TestTopic, TestTopic, TestTopic];
    await insertLink(given, { code: 'good', longUrl: GOOD });
    await insertLink(given, { code: 'evil', longUrl: EVIL });
    await insertLink(given, { code: 'both', longUrl: EVIL, settings: { redirect_rules: JSON.stringify(ALWAYS) } });
    await insertLink(given, { code: 'one', longUrl: EVIL, settings: { max_visits: 1 } });
    await insertLink(given, {
      ...{ code: 'over', longUrl: GOOD },
      settings: { valid_until: '2026-01-01T00:00:00Z', expired_url: EVIL },
    });
    await given.query(`INSERT INTO domains (authority, base_url_redirect) VALUES ('go.test', $1)`, [EVIL]);
    environment = gatewayEnvironment({ database: given, topic, audits, orphans, more: { ACK_TIMEOUT_MS: '20000' } });
    gateway = await startGateway(environment);
  });
  afterAll(async () => {
    await gateway?.close();
    for (const topic of topics ?? []) await topic.delete();
    await database?.close();
    await given?.drop();
    rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
  });

  const ask = async (path: string, host = TEST_DOMAIN, method = 'GET') => {
    const { status, headers } = await gateway.ask(path, { method, headers: { host } });
    return [status, headers['location']];
  };
  const untilAsked = (path: string, status: number) =>
    waitUntil(async () => (await ask(path, TEST_DOMAIN, 'HEAD'))[0] === status, {
      ...{ describe: `${path} answered ${status}`, timeoutMs: 20_000 },
    });

  it('a host, wherever a link leads; a link; and again when the block is gone', async () => {
    expect(await ask('/evil')).toEqual([302, EVIL]);
    const block = await blocks.add('host', 'evil.example', 'phishing');
    await blocks.add('link', 'good', '');
    await untilAsked('/good', 410);

    for (const method of ['GET', 'HEAD']) {
      expect(await ask('/evil', TEST_DOMAIN, method)).toEqual([410, undefined]);
      expect(await ask('/over', TEST_DOMAIN, method)).toEqual([410, undefined]);
      expect(await ask('/both', TEST_DOMAIN, method)).toEqual([410, undefined]);
    }
    expect(await ask('/both?good=1')).toEqual([302, `${GOOD}?good=1`]);
    expect(await ask('/one')).toEqual([410, undefined]);
    expect(await ask('/', 'go.test')).toEqual([404, undefined]);
    const { body, headers } = await gateway.ask('/evil', { headers: { host: TEST_DOMAIN } });
    expect(body).toContain('blocked');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-security-policy': expect.any(String) });

    await blocks.remove(block.id);
    await untilAsked('/evil', 302);
    // Nobody was sent on meanwhile, so nothing was used up.
    expect(await ask('/one')).toEqual([302, EVIL]);
    expect(await ask('/one')).toEqual([404, undefined]);
    expect(await ask('/', 'go.test')).toEqual([302, EVIL]);
  });

  it('and records who wanted to go there as orphan visits of their own, not as visits', async () => {
    const recorded = async () =>
      (await topics[2]!.readAll()).map(({ value }) => {
        const decoded = decodeOrphanVisit(value);
        return decoded.outcome === 'ok' ? `${decoded.visit.type} ${decoded.visit.path}` : '';
      });
    await waitUntil(async () => (await recorded()).includes('blocked /one'), { describe: 'blocked visits' });
    const blocked = (await recorded()).filter((one) => one.startsWith('blocked'));
    expect(blocked.sort()).toEqual([
      'blocked /both',
      'blocked /evil',
      'blocked /evil',
      'blocked /one',
      'blocked /over',
    ]);
    const [one, both] = [await visitsOf('one'), await visitsOf('both')];
    expect([one, both]).toEqual([[EVIL], [`${GOOD}?good=1`]]);
  });

  const visitsOf = async (code: string) =>
    (await visitsIn(topics[0]!)).filter((visit) => visit.code === code).map(({ destination }) => destination);
});
