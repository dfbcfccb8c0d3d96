import { Database } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { TestGateway } from '../resolution/test-gateway.spec-helpers.js';
import { LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import { LinkOutbox } from './link-outbox.js';

const DOMAIN = 'short.test';
const CHECK_MS = 600;
const CODES = Array.from({ length: 12 }, (_, index) => `c${index}`);
const logger = createLogger({ name: 'test', level: 'silent' });

describe('random histories of changes and faults', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let gateways: TestGateway[];

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    const start = () => TestGateway.start(database, server.url, { defaultDomain: DOMAIN, checkMs: CHECK_MS });
    gateways = await Promise.all([start(), start(), start()]);
  });
  afterAll(async () => {
    gateways?.forEach((gateway) => gateway.close());
    redis?.disconnect();
    await database?.close();
    await server?.close();
    await given?.drop();
  });

  const answers = (gateway: TestGateway) => Promise.all(CODES.map((code) => gateway.answer(DOMAIN, code)));
  const truth = async () => {
    const rows = await given.query<{ code: string; long_url: string; group_id: string | null }>(
      'SELECT code, long_url, group_id FROM links WHERE deleted_at IS NULL',
    );
    const known = new Map(rows.map((row) => [row.code, `${row.long_url} ${row.group_id}`]));
    return CODES.map((code) => known.get(code) ?? 'unknown');
  };

  it.each([1, 2, 3, 4])('of seed %i end with every gateway saying what PostgreSQL says', async (seed) => {
    const outbox = new LinkOutbox(database, redis, logger);
    const nobody = { announce: () => Promise.resolve() };
    const options = {
      ...{ defaultDomain: DOMAIN, codeStrategy: 'random' as const, secret: 'x'.repeat(40), allowPrivateTargets: false },
    };
    const random = randomOf(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const locks = new LinkLocks(redis, { owner: 'test' });
    const store = new LinkStore(database, new Snowflakes({ current: () => seed }), nobody, options);
    await store.ensureDefaultDomain();
    /** Of an api that lives, or of one that dies after each COMMIT. */
    const editor = () => new LinkEditor(database, store, random() < 0.5 ? outbox : nobody, locks);
    const none = { title: null, domain: null, tags: [] };
    let targets = 0;
    const longUrl = () => `https://example.com/${seed}-${(targets += 1)}`;
    const ignore = () => undefined; // a code that is taken, a link that is not there
    const steps: (() => Promise<unknown>)[] = [
      () =>
        store
          .create(Reach.everything, { ...none, longUrl: longUrl(), customSlug: pick(CODES), groupId: pick(['a', 'b']) })
          .catch(ignore),
      () =>
        editor()
          .edit(Reach.everything, { code: pick(CODES), domain: null }, { longUrl: longUrl() })
          .catch(ignore),
      () =>
        editor()
          .edit(Reach.everything, { code: pick(CODES), domain: null }, { groupId: pick(['a', 'b']) })
          .catch(ignore),
      () =>
        editor()
          .delete(Reach.everything, { code: pick(CODES), domain: null })
          .catch(ignore),
      () => Promise.all(gateways.map(answers)),
      () => answers(pick(gateways)),
      () => outbox.announce(),
      () => server.client.flushall(),
      () => server.client.client('KILL', 'TYPE', 'pubsub'),
      () => given.query('DROP TABLE IF EXISTS backup').then(() => given.query('CREATE TABLE backup AS TABLE links')),
      restore,
    ];
    const weights = [6, 10, 4, 2, 6, 6, 4, 1, 1, 1, 1];
    const bag = steps.flatMap((step, index) => Array.from({ length: weights[index]! }, () => step));
    for (let round = 0; round < 5; round += 1) {
      for (let step = 0; step < 40; step += 1) await pick(bag)();
      const expected = await truth();
      const haveFollowed = async () =>
        (await Promise.all(gateways.map(answers))).every((one) => String(one) === String(expected));
      await waitUntil(haveFollowed, { timeoutMs: 10 * CHECK_MS, everyMs: 20, describe: 'every gateway following' });
      // Nothing that was read before comes back.
      expect(await haveFollowed()).toBe(true);
    }
    await given.query('DROP TABLE IF EXISTS backup');
    await given.query('TRUNCATE links CASCADE');
  });

  async function restore(): Promise<void> {
    if ((await given.query(`SELECT WHERE to_regclass('backup') IS NULL`)).length > 0) return;
    await given.query('DELETE FROM links');
    const [stored] = await given.query<{ columns: string }>(
      `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
       WHERE table_name = 'links' AND is_generated = 'NEVER'`,
    );
    await given.query(`INSERT INTO links (${stored?.columns}) SELECT ${stored?.columns} FROM backup`);
  }
});

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
