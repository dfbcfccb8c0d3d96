import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { VisitPurger } from '@hopcount/ledger';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { assertSameIds, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { TestApi } from './api.spec-helpers.js';
import { Traffic } from './writers.spec-helpers.js';

const NOW = { waitMs: 0, leaseMs: 10_000 };

let redis: TestRedis;
let api: TestApi;
let codes = 0;
let code: string;
let linkId: string;
let traffic: Traffic;

beforeAll(async () => {
  redis = await testRedis();
  api = await TestApi.start({ REDIS_URL: redis.url });
  for (const group of ['a', 'b']) await api.database.query('INSERT INTO groups (id, name) VALUES ($1, $1)', [group]);
});
afterAll(async () => {
  await api.stop();
  await redis.close();
});
beforeEach(async () => {
  code = `hot-${(codes += 1)}`;
  const { body } = await api.create({ longUrl: 'https://example.com', customSlug: code, groupId: 'a' });
  linkId = body['id'] as string;
  traffic = await Traffic.start({ databaseUrl: api.database.url, redisUrl: redis.url }, linkId);
});
afterEach(() => traffic.close());

const patch = (body: unknown, headers: Record<string, string> = {}) =>
  api.request('PATCH', `/rest/v3/short-urls/${code}`, { body, headers });
const purge = () => api.request('DELETE', `/rest/v3/short-urls/${code}/visits`);

async function ledgerIds(): Promise<string[]> {
  const rows = await api.database.query<{ event_id: string }>('SELECT event_id FROM visits WHERE link_id = $1', [
    linkId,
  ]);
  return rows.map((row) => row.event_id);
}

async function purgedBefore(): Promise<number> {
  const [row] = await api.database.query<{ at: Date }>('SELECT purged_before AS at FROM links WHERE id = $1', [linkId]);
  return row?.at.getTime() ?? 0;
}

/** Flushes Redis whenever a writer holds or awaits a lock, until told to stop; answers how often. */
function flushUnderWriters() {
  let [flushes, stopped] = [0, false];
  const running = (async () => {
    while (!stopped) {
      if ((await redis.client.zcard('{link-locks}:writers')) > 0) {
        await redis.client.flushall();
        flushes += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  return async () => {
    stopped = true;
    await running;
    return flushes;
  };
}

/** What must hold after a purge and the end of the traffic. */
async function expectExactlyPurged(deletedVisits: unknown): Promise<void> {
  const instant = await purgedBefore();
  const kept = traffic.visits.filter((visit) => visit.occurredAtMs >= instant).map((visit) => visit.eventId);
  expect(deletedVisits).toBeGreaterThan(0);
  expect(kept.length).toBeGreaterThan(100);
  assertSameIds(kept, await ledgerIds());
  expect(await traffic.differences()).toEqual([]);
  expect(await traffic.replay()).toEqual([]);
  assertSameIds(kept, await ledgerIds());
  expect(await traffic.differences()).toEqual([]);
}

describe('purging under steady visits', () => {
  it('G4: the writer gets in, nothing before its instant stays or comes back, nothing after it is lost', async () => {
    await traffic.flows(1_500);
    const { status, body } = await purge();
    expect(status).toBe(200);
    await traffic.flows(1_000);
    await traffic.stop();
    expect(traffic.duplicates).toBeGreaterThan(0);
    expect(traffic.purged).toBeGreaterThan(0);
    await expectExactlyPurged(body['deletedVisits']);
  });

  it('G4: the same while Redis forgets every lock in the middle (FLUSHALL)', async () => {
    await traffic.flows(1_500);
    const stop = flushUnderWriters();
    const answers = [await purge(), await purge(), await purge()];
    await traffic.flows(500);
    expect(await stop()).toBeGreaterThan(0);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await traffic.stop();
    await expectExactlyPurged(answers[0]!.body['deletedVisits']);
  });

  it('L5: a Redis that dies in the middle and comes back empty costs nothing, and locks work again', async () => {
    await traffic.flows(800);
    const [, { status, body }] = await Promise.all([redis.kill(), purge()]);
    expect(status).toBe(200);
    await traffic.flows(200);
    await redis.start();
    await redis.client.script('FLUSH');
    await traffic.flows(300);
    await traffic.stop();
    await expectExactlyPurged(body['deletedVisits']);
    await withLocks(async (locks) => {
      const lease = await locks.acquireWrite([linkId], { waitMs: 2_000, leaseMs: 1_000 });
      expect(await lease.release()).toBe(true);
    });
  });
});

describe('purging a deleted link under steady visits', () => {
  it('takes every visit, also those of gateways that had not heard of it; none comes back and no sum is wrong', async () => {
    await traffic.flows(300);
    await api.request('DELETE', `/rest/v3/short-urls/${code}`);
    const { status, body } = await api.request('DELETE', `/rest/v3/deleted-short-urls/${code}`);
    expect([status, Number(body['deletedVisits']) > 100]).toEqual([200, true]);
    await traffic.flows(300);
    await traffic.stop();
    expect(await traffic.differences()).toEqual([]);
    expect(await ledgerIds()).not.toEqual([]);
    const purger = new VisitPurger(api.resources.database, api.resources.locks, { hasSlots: true });
    expect(await purger.emptyPurgedLinks()).toBeGreaterThan(100);
    expect(await ledgerIds()).toEqual([]);
    expect(await traffic.differences()).toEqual([]);
    expect(await traffic.replay()).toEqual([]);
    expect([await purger.emptyPurgedLinks(), await traffic.differences()]).toEqual([0, []]);
  });
});

describe('moving under steady visits', () => {
  it('G1: all visits counted while a link goes to and fro 40 times are there, once, with Redis flushed in the middle', async () => {
    const stop = flushUnderWriters();
    for (let n = 0; n < 40; n += 1) {
      const { status, body } = await patch({ groupId: n % 2 === 0 ? 'b' : 'a' });
      expect([status, body['groupId'], body['id']]).toEqual([200, n % 2 === 0 ? 'b' : 'a', linkId]);
    }
    await traffic.flows(500);
    expect(await stop()).toBeGreaterThan(0);
    await traffic.stop();
    assertSameIds(
      traffic.visits.map((visit) => visit.eventId),
      await ledgerIds(),
    );
    const groups = await api.database.query<{ group_id: string }>(
      'SELECT DISTINCT group_id FROM visits WHERE link_id = $1 ORDER BY 1',
      [linkId],
    );
    expect(groups.map((row) => row.group_id)).toEqual(['a', 'b']);
    expect(await traffic.differences()).toEqual([]);
  });

  it('G2: the write lock is given back after COMMIT, however slow that is', async () => {
    await api.database.query(`
      CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow_commit AFTER UPDATE ON links DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION slow_commit()`);
    try {
      await withLocks(async (locks) => {
        const moving = patch({ groupId: 'b' });
        const hasWriter = async () => (await redis.client.zcard('{link-locks}:writers')) > 0;
        await waitUntil(hasWriter, { describe: 'the move holds the write lock' });
        const lease = await locks.acquireRead([linkId], { waitMs: 5_000, leaseMs: 10_000 });
        const [row] = await api.database.query('SELECT group_id FROM links WHERE id = $1', [linkId]);
        expect([lease.held, row]).toEqual([true, { group_id: 'b' }]);
        await lease.release();
        expect((await moving).status).toBe(200);
      });
    } finally {
      await api.database.query('DROP TRIGGER slow_commit ON links; DROP FUNCTION slow_commit()');
    }
    await traffic.flows(200);
    await traffic.stop();
    assertSameIds(
      traffic.visits.map((visit) => visit.eventId),
      await ledgerIds(),
    );
  });

  it('G3: a writer that hangs delays only its link, and not for ever', async () => {
    await withLocks(async (locks) => {
      const hanging = await locks.acquireWrite([linkId], { waitMs: 5_000, leaseMs: 60_000 });
      expect((await locks.acquireRead(['1', '2'], NOW)).held).toBe(true);
      expect((await locks.acquireRead([linkId], { waitMs: 50, leaseMs: 1_000 })).held).toBe(false);
      // Neither commits nor other writers of the link stop.
      await traffic.flows(100);
      expect([(await patch({ groupId: 'a' })).status, (await purge()).status]).toEqual([200, 200]);
      expect(hanging.signal.aborted).toBe(false);
      await hanging.release();
    });
  });

  it('G5: 20 parallel moves end in one group, without an error', async () => {
    const groups = Array.from({ length: 20 }, (_, n) => `g-${n}`);
    for (const group of groups) await api.database.query('INSERT INTO groups (id, name) VALUES ($1, $1)', [group]);
    const answers = await Promise.all(groups.map((groupId) => patch({ groupId, tags: [groupId, 'all'] })));
    expect(answers.map(({ status }) => status)).toEqual(groups.map(() => 200));
    const { body, headers } = await api.get(`short-urls/${code}`);
    expect(groups).toContain(body['groupId']);
    expect(body['tags']).toEqual([body['groupId'], 'all']);
    expect(headers.get('etag')).toBe('"21"');
    const rows = await api.database.query('SELECT FROM links WHERE code = $1', [code]);
    expect(rows).toHaveLength(1);
  });

  it('G5: of 20 editors who looked at one version one wins, the others are told', async () => {
    const etag = (await api.get(`short-urls/${code}`)).headers.get('etag') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => patch({ groupId: 'b', title: `t${n}` }, { 'if-match': etag })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      type: 'urn:hopcount:problem:version-conflict',
      shortCode: code,
      version: '2',
    });
    const { body } = await api.get(`short-urls/${code}`);
    expect(body['title']).toBe(won[0]?.body['title']);
    const unknown = await patch({ groupId: 'nobody', title: 'x' });
    expect([unknown.status, unknown.body['invalidElements']]).toEqual([400, ['groupId']]);
  });
});

async function withLocks(work: (locks: LinkLocks) => Promise<void>): Promise<void> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const client: RedisClient = createRedis({ url: redis.url, name: 'test', logger, commandTimeoutMs: 1_000 });
  try {
    await waitForRedis(client, 5_000);
    await work(new LinkLocks(client, { owner: 'test' }));
  } finally {
    client.disconnect();
  }
}
