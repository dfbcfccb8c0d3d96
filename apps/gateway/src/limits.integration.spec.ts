import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LinkUses } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { type TestDatabase, waitUntil } from '@hopcount/testing';

import {
  type Answer,
  GatewayGround,
  insertLink,
  metricOf,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';
import { EndedSources } from './limits/ended-sources.js';
import { spoolId } from './limits/spool-id.js';

const HEADERS = { host: TEST_DOMAIN };

/** Two gateways, and all that may be away while they count down. */
describe('a link with a limit', () => {
  let ground: GatewayGround;
  let database: TestDatabase;
  let gateways: TestGateway[] = [];

  beforeAll(async () => {
    ground = await GatewayGround.open({ ACK_TIMEOUT_MS: '20000' });
    ({ database } = ground);
    gateways = await Promise.all([ground.start(), ground.start()]);
  });
  afterAll(() => ground?.close());

  const limited = (code: string, max: number, settings: Record<string, unknown> = {}) =>
    insertLink(database, { code, settings: { max_visits: max, ...settings } });
  const ask = (gateway: TestGateway, path: string, method = 'GET') => gateway.ask(path, { method, headers: HEADERS });
  const rush = (asked: readonly TestGateway[], path: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, place) => ask(asked[place % asked.length]!, path)));
  /** On a busy machine PostgreSQL may not decide in time: such visitors ask again, as they are told. */
  const rushUntilDecided = async (asked: readonly TestGateway[], path: string, count: number) => {
    const answers: Answer[] = [];
    for (let left = count; left > 0; left = count - answers.length) {
      if (left < count) await sleep(500);
      answers.push(...(await rush(asked, path, left)).filter(({ status }) => status !== 503));
    }
    return answers;
  };
  const tally = (answers: readonly Answer[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const usedOf = async (linkId: string) => {
    const [row] = await database.query<{ used: number; open: number }>(
      `SELECT used::int, (SELECT count(*)::int FROM link_uses WHERE link_id = $1) AS open
       FROM link_limits WHERE link_id = $1`,
      [linkId],
    );
    return row;
  };
  const untilUsed = (linkId: string, used: number) =>
    waitUntil(async () => (await usedOf(linkId))?.used === used, { describe: `${used} uses` });
  /** With settings of its own, closed after the work. */
  const withGateway = async <T>(more: Record<string, string>, work: (gateway: TestGateway) => Promise<T>) => {
    const gateway = await ground.start(more);
    try {
      return await work(gateway);
    } finally {
      await gateway.close();
    }
  };
  const deadKafka = { KAFKA_BROKERS: '127.0.0.1:1' };

  it('redirects a hundred of a thousand at once over two gateways, each under the id of its use', async () => {
    const linkId = await limited('calm', 100);
    const answers = await rushUntilDecided(gateways, '/calm', 1_000);
    expect(tally(answers)).toEqual({ 302: 100, 404: 900 });
    const ids = answers.flatMap(({ headers }) => (headers['x-visit-id'] === undefined ? [] : [headers['x-visit-id']]));
    const taken = await database.query<{ id: string }>('SELECT event_id AS id FROM link_uses WHERE link_id = $1', [
      linkId,
    ]);
    expect(taken.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const published = (await visitsIn(ground.topics.visits)).filter((visit) => visit.linkId === linkId);
    expect(published.map(({ eventId }) => eventId).sort()).toEqual([...ids].sort());
    expect(await usedOf(linkId)).toEqual({ used: 100, open: 100 });
  });

  it('is none the more while Redis is flushed, and a spool takes the visits of one gateway', async () => {
    const linkId = await limited('rough', 100);
    await withGateway(
      { ...deadKafka, SPOOL_DIR: join(ground.environment['SPOOL_DIR']!, 'apart') },
      async (spooling) => {
        const answers = rushUntilDecided([gateways[0]!, spooling], '/rough', 600);
        await ground.redis.client.flushall();
        const later = rushUntilDecided([gateways[1]!, spooling], '/rough', 400);
        expect(tally([...(await answers), ...(await later)])).toEqual({ 302: 100, 404: 900 });
      },
    );
    expect(await usedOf(linkId)).toEqual({ used: 100, open: 100 });
  });

  it('gives back the use of a visit that nothing could hold, whatever VISIT_DURABILITY_FAILURE says', async () => {
    const linkId = await limited('refused', 3);
    const nowhere = { ...deadKafka, SPOOL_MAX_BYTES: '10', VISIT_DURABILITY_FAILURE: 'answer' };
    await withGateway(nowhere, async (gateway) => {
      expect(tally(await rush([gateway], '/refused', 3))).toEqual({ 503: 3 });
      await untilUsed(linkId, 0);
    });
    expect(tally(await rush(gateways, '/refused', 9))).toEqual({ 302: 3, 404: 6 });
  });

  it.each<[string, string, (socket: Socket) => unknown]>([
    ['hangs up', 'requests', (socket) => socket.resetAndDestroy()],
    ['sends nothing more', 'requests', (socket) => socket.end()],
    ['hangs up', 'handovers', (socket) => socket.resetAndDestroy()],
    ['sends nothing more', 'handovers', (socket) => socket.end()],
  ])('gives back the use of a visitor who %s before PostgreSQL has decided (front: %s)', async (how, by, leave) => {
    const [gateway] = gateways as [TestGateway];
    const code = `${how}-${by}`.replaceAll(' ', '-');
    const linkId = await limited(code, 1);
    await ask(gateway, `/${code}`, 'HEAD'); // in memory
    const locker = await lock(linkId);
    const readBy = () => metricOf(gateway, `hopcount_front_${by}_total`);
    const before = await readBy();
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    const closed = once(socket, 'close');
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
    // TE says nothing to the gateway; the front leaves such a request to Node.
    const more = by === 'handovers' ? 'te: trailers\r\n' : '';
    socket.write(`GET /${code} HTTP/1.1\r\nhost: ${TEST_DOMAIN}\r\n${more}\r\n`);
    const waits = `SELECT FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND application_name = 'hopcount-gateway-limits' AND datname = current_database()`;
    await waitUntil(async () => (await database.query(waits)).length > 0, { describe: 'the gate waits' });
    expect(await readBy()).toBe(before + 1);
    leave(socket);
    await ask(gateway, '/livez'); // whose connection comes after that end
    const taken = () => metricOf(gateway, 'hopcount_limit_answers_total{outcome="taken"');
    const takenBefore = await taken();
    await locker.release();
    await waitUntil(async () => (await taken()) !== takenBefore, { describe: 'PostgreSQL has decided' });
    await waitUntil(async () => (await usedOf(linkId))?.open === 0, { describe: 'the use is given back' });
    expect(await usedOf(linkId)).toEqual({ used: 0, open: 0 });
    expect((await visitsIn(ground.topics.visits)).filter((visit) => visit.linkId === linkId)).toEqual([]);
    await closed;
    expect(answer).toBe('');
    expect((await ask(gateway, `/${code}`)).status).toBe(302);
  });

  /** Holds the row of a link, as another gateway does that is slow. */
  async function lock(linkId: string) {
    const other = await Database.connect({ url: database.url, applicationName: 'locker', poolSize: 1 });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const done = other.transaction(async (tx) => {
      await tx.query('SELECT FROM link_limits WHERE link_id = $1 FOR UPDATE', [linkId]);
      locked();
      await held;
    });
    await isLocked;
    return { release: async () => (release(), await done, await other.close()) };
  }

  it('says 503 while PostgreSQL cannot decide, as do no other links; uses taken meanwhile are given back', async () => {
    const linkId = await limited('away', 5);
    await insertLink(database, { code: 'plain' });
    for (const code of ['/away', '/plain']) await ask(gateways[0]!, code, 'HEAD');
    const locker = await lock(linkId);
    const [answers, plain] = await Promise.all([rush([gateways[0]!], '/away', 20), ask(gateways[0]!, '/plain')]);
    expect([tally(answers), answers[0]?.headers['retry-after'], plain.status]).toEqual([{ 503: 20 }, '2', 302]);
    await locker.release();
    await waitUntil(async () => (await usedOf(linkId))?.open === 0, { timeoutMs: 15_000, describe: 'nothing taken' });
    expect(tally(await rush(gateways, '/away', 20))).toEqual({ 302: 5, 404: 15 });
    await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'hopcount-gateway-limits' AND datname = current_database()`);
    await database.query('UPDATE links SET max_visits = 8, version = version + 1 WHERE id = $1', [linkId]);
    await waitUntil(async () => (await ask(gateways[1]!, '/away')).status === 302, { describe: 'connected again' });
  });

  it('takes no use for HEAD, for the target after the end, or for what another setting refuses', async () => {
    const ended = 'https://example.com/over';
    const linkId = await limited('once', 1, { expired_url: ended, extra_path: 'append' });
    expect([(await ask(gateways[0]!, '/once', 'HEAD')).status, await usedOf(linkId)]).toEqual([
      302,
      { used: 0, open: 0 },
    ]);
    expect((await ask(gateways[0]!, '/once/track')).status).toBe(200);
    expect(await usedOf(linkId)).toEqual({ used: 1, open: 1 });
    const answers = [await ask(gateways[0]!, '/once'), await ask(gateways[1]!, '/once', 'HEAD')];
    expect(answers.map(({ status, headers }) => [status, headers.location])).toEqual([
      [302, ended],
      [302, ended],
    ]);
    expect((await ask(gateways[0]!, '/once/track')).status).toBe(404);
    const visits = (await visitsIn(ground.topics.visits)).filter((visit) => visit.linkId === linkId);
    expect(visits.map(({ route }) => route).sort()).toEqual(['expired', 'pixel']);
    expect(await usedOf(linkId)).toEqual({ used: 1, open: 1 });
    for (const settings of [{ disabled: true }, { valid_until: new Date(0) }, { valid_since: new Date(4e12) }]) {
      const other = await limited(Object.keys(settings)[0]!, 5, settings);
      expect((await ask(gateways[0]!, `/${Object.keys(settings)[0]}`)).status).toBe(404);
      expect(await usedOf(other)).toEqual({ used: 0, open: 0 });
    }
  });

  it('lets uses of a killed gateway end once its spool folder is gone, and nothing waits in any', async () => {
    const linkId = await limited('killed', 5);
    const spool = join(ground.environment['SPOOL_DIR']!, 'ended');
    mkdirSync(join(spool, 'gw-dead'), { recursive: true });
    const isEnded = async () =>
      (await database.query('SELECT ended_at FROM link_uses WHERE link_id = $1', [linkId]))[0]?.['ended_at'] != null;
    const insert = (id: string) =>
      database.query(
        `INSERT INTO link_uses (event_id, link_id, source, spool) VALUES (gen_random_uuid(), $1, 'gw-dead', $2)`,
        [linkId, id],
      );
    writeFileSync(join(spool, 'spool-id'), '0190aaaa-0000-7000-8000-00000000000a');
    await insert('0190aaaa-0000-7000-8000-00000000000a');
    const own = await Database.connect({ url: database.url, applicationName: 'spec', poolSize: 1 });
    try {
      const taker = { source: 'gw-next', spool: await spoolId(spool) };
      const sources = new EndedSources(new LinkUses(own, taker), spool, createLogger({ name: 'x', level: 'silent' }));
      await sources.look();
      expect(await isEnded()).toBe(false); // its folder is there
      writeFileSync(join(spool, 'gw-dead', 'gw-dead-0000000001.spool.damaged'), ''); // stays for a human
      mkdirSync(join(spool, 'rejected'));
      writeFileSync(join(spool, 'rejected', 'gw-dead-rejected-0001.spool'), '');
      await sources.look();
      expect(await isEnded()).toBe(false); // a visit of it may be put back
      rmSync(join(spool, 'rejected'), { recursive: true });
      await sources.look();
      expect(await isEnded()).toBe(true);
    } finally {
      await own.close();
    }
  });
});
