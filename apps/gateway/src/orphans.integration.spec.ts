import { rmSync } from 'node:fs';

import { decodeOrphanVisit, eventIdTimeMs, isEventId, type OrphanVisitV1 } from '@hopcount/contracts';
import { Database, keepHashKeys } from '@hopcount/postgres';
import { createHashAddress, KeyPeriods, keyRotations } from '@hopcount/runtime';
import { type TestDatabase, testDatabase, type TestTopic, testTopic, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import {
  gatewayEnvironment,
  insertLink,
  startGateway,
  TEST_DOMAIN,
  TEST_SECRET,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

describe('requests without a link', () => {
  let database: TestDatabase;
  let topic: TestTopic;
  let audits: TestTopic;
  let orphans: TestTopic;
  let gateway: TestGateway;
  const folders: string[] = [];

  beforeAll(async () => {
    [database, topic, audits, orphans] = await Promise.all([
      testDatabase(),
      testTopic({ label: 'visits' }),
      testTopic({ label: 'audits' }),
      testTopic({ partitions: 3, label: 'orphans' }),
    ]);
    await insertLink(database, { code: 'plain' });
    await insertLink(database, { code: 'script', longUrl: 'javascript:alert(1)' });
  });
  afterEach(() => gateway.close());
  afterAll(async () => {
    await Promise.all([topic.delete(), audits.delete(), orphans.delete(), database.drop()]);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const start = async (more: Record<string, string> = {}) => {
    const environment = gatewayEnvironment({
      ...{ database, topic, audits, orphans },
      more: { ACK_TIMEOUT_MS: '20000', TRUSTED_PROXIES: '127.0.0.1', ...more },
    });
    folders.push(environment['SPOOL_DIR']!);
    gateway = await startGateway(environment);
  };
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    (await gateway.ask(path, { method, headers: { host: TEST_DOMAIN, 'user-agent': BROWSER, ...headers } })).status;
  const recorded = async (): Promise<OrphanVisitV1[]> =>
    (await orphans.readAll()).map(({ key, value, headers }) => {
      const decoded = decodeOrphanVisit(value);
      if (decoded.outcome !== 'ok') throw new Error(decoded.detail);
      const id = decoded.visit.eventId;
      expect([String(key), headers]).toEqual([id, {}]);
      return decoded.visit;
    });
  const metric = async (line: string) => {
    const text = await gateway.operations('/metrics');
    return Number(
      text
        .split('\n')
        .find((one) => one.startsWith(line))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  const dropped = (reason: string) => metric(`hopcount_orphan_visits_dropped_total{reason="${reason}"`);
  const published = () => metric('hopcount_orphan_visits_total{outcome="published"');

  it('are answered 404 and published once, each with its kind; everything else is not one', async () => {
    await start();
    const asked = [
      ['/', 'base_url'],
      ['/?x=1', 'base_url'],
      ['/no-such-code', 'invalid_short_url'],
      ['/script', 'invalid_short_url'],
      ['/a/b', 'regular_404'],
      ['/%00', 'regular_404'],
      [`/${'y'.repeat(9_000)}`, 'regular_404'],
    ] as const;
    for (const [path] of asked) expect([path, await get(path)]).toEqual([path, 404]);
    expect(await get('/plain')).toBe(302);
    expect(await get('/no-such-code', {}, 'HEAD')).toBe(404);
    expect([await get('/favicon.ico'), await get('/robots.txt')]).toEqual([404, 200]);
    await gateway.close();
    const found = await recorded();
    expect(found.map(({ type, path }) => `${type} ${path}`).sort()).toEqual(
      asked.map(([path, type]) => `${type} ${path.split('?')[0]!.slice(0, 512)}`).sort(),
    );
    expect(found.every(({ eventId }) => isEventId(eventId))).toBe(true);
    expect(found.filter(({ truncated }) => truncated.length > 0)).toMatchObject([{ truncated: ['path'] }]);
    expect(await visitsIn(topic)).toHaveLength(1);
  });

  it('hold no secret of the visitor, and what they hold is what visits hold', async () => {
    const HASH_KEY_ROTATIONS = '2026-01-01/30';
    await start({ HASH_KEY_ROTATIONS });
    const keys = { hashing: TEST_SECRET, keyPeriods: new KeyPeriods(keyRotations.parse(HASH_KEY_ROTATIONS)) };
    expect(await gateway.operations('/readyz')).not.toContain('HASH_KEY_ROTATIONS');
    // A consumer without it.
    const consumer = await Database.connect({ url: database.url, applicationName: 'spec' });
    await keepHashKeys(consumer, { ...keys, keyPeriods: new KeyPeriods() });
    await consumer.close();
    expect(await gateway.operations('/readyz')).toContain('HASH_KEY_ROTATIONS is not what hashes were made with');
    const before = (await recorded()).length;
    const given = { 'x-forwarded-for': '203.0.113.77', referer: 'https://example.org/page', cookie: 'session=1' };
    await get('/reset?token=secret', { ...given, host: 'Other.Example:80', 'sec-purpose': 'prefetch' });
    await get('/gone', { ...given, dnt: '1' });
    await gateway.close();
    const found = (await recorded()).filter(({ path }) => path === '/reset' || path === '/gone');
    const [reset, gone] = found.sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
    expect((await recorded()).length).toBe(before + 2);
    expect(reset).toMatchObject({
      ...{ domain: 'other.example', clientIp: '203.0.113.0', userAgent: BROWSER, referrer: 'https://example.org/page' },
      signals: { purpose: 'prefetch', doNotTrack: false },
    });
    expect(reset?.clientIpHash).toBe(createHashAddress(keys)('203.0.113.77', eventIdTimeMs(reset!.eventId)));
    expect(gone).toMatchObject({ clientIp: '203.0.113.0', clientIpHash: null, signals: { doNotTrack: true } });
    expect(JSON.stringify(found)).not.toMatch(/secret|session|203\.0\.113\.77/);
  });

  it('above the allowed rate are answered, counted in a metric, and not published', async () => {
    const before = (await recorded()).length;
    await start({ ORPHAN_VISITS_PER_SECOND: '5' });
    const startedMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => get(`/flood-${index}`)));
    expect(new Set(answers)).toEqual(new Set([404]));
    const allowed = 5 + Math.ceil(((performance.now() - startedMs) * 5) / 1_000);
    const refused = await dropped('rate');
    expect(refused).toBeGreaterThanOrEqual(200 - allowed);
    await gateway.close();
    expect((await recorded()).length - before).toBe(200 - refused);
  });

  it('are not recorded at all when that is switched off', async () => {
    const before = (await recorded()).length;
    await start({ ORPHAN_VISITS_PER_SECOND: '0' });
    for (const path of ['/', '/off']) expect(await get(path)).toBe(404);
    await gateway.close();
    expect((await recorded()).length).toBe(before);
  });

  it('do not touch redirects when their topic is missing and memory for them is full', async () => {
    await start({ ORPHAN_VISITS_PER_SECOND: '100000', ORPHAN_TOPIC: `${orphans.name}-is-not-there` });
    const before = (await visitsIn(topic)).length;
    const flood = async (worker: number) => {
      for (let n = 0; n < 51; n += 1) expect(await get(`/full-${worker}-${n}`)).toBe(404);
    };
    await Promise.all(Array.from({ length: 20 }, (_, worker) => flood(worker)));
    expect([await published(), await dropped('full'), await dropped('rate')]).toEqual([0, 20, 0]);
    for (let n = 0; n < 20; n += 1) expect(await get('/plain')).toBe(302);
    expect(await visitsIn(topic)).toHaveLength(before + 20);
    expect(await metric('hopcount_kafka_up')).toBe(1);
    await gateway.close();
  }, 180_000);

  it('that wait for their topic are published, once, when it is there', async () => {
    const name = `${orphans.name}-made-later`;
    await start({ ORPHAN_TOPIC: name });
    for (let n = 0; n < 5; n += 1) await get(`/early-${n}`);
    expect(await published()).toBe(0);
    const later = await testTopic({ name });
    await waitUntil(async () => (await published()) === 5, { timeoutMs: 30_000, describe: 'they are published' });
    const ids = (await later.readAll()).map(({ key }) => String(key));
    expect(new Set(ids).size).toBe(5);
    await later.delete();
  });
});
