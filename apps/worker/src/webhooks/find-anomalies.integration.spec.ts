import { SNOWFLAKE_EPOCH_MS, WebhookStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { createLogger, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { findAnomalies } from './find-anomalies.js';

const MINUTE = 60_000;
const WINDOW = 15 * MINUTE;
const DAY = 96 * WINDOW;
/** Start of the window that is searched first; its links are made after all webhooks. */
const FIRST = Math.ceil(Date.now() / WINDOW) * WINDOW;

let server: TestDatabase;
let database: Database;
let webhooks: WebhookStore;
let now: number;
/** What the worker knows to be counted. */
let measure: () => Promise<number | undefined>;

beforeAll(async () => {
  server = await testDatabase();
  database = await Database.connect({ url: server.url, applicationName: 'anomalies-spec' });
  webhooks = new WebhookStore(database, { allowPrivateTargets: false });
  await server.query(`INSERT INTO domains (authority, is_default) VALUES ('sho.rt', true)`);
});
beforeEach(async () => {
  now = FIRST + WINDOW + MINUTE;
  measure = () => Promise.resolve(now);
  await server.query('UPDATE anomaly_search SET until = $1', [new Date(FIRST)]);
});
afterEach(async () => {
  await server.query('DELETE FROM webhooks');
  await server.query('TRUNCATE link_traffic, link_anomalies');
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const jobOf = (given: Database) =>
  findAnomalies(
    {
      ...{ database: given, metrics: createWorkerMetrics(new Registry()) },
      ...{ counted: { measure: () => measure() } as never, logger: createLogger({ name: 'test', level: 'silent' }) },
    },
    () => now,
  );
const run = (given = database) => jobOf(given).work(new AbortController().signal);
const make = (events: ('link.created' | 'link.anomaly')[] = ['link.anomaly']) =>
  webhooks.create({ url: 'https://hook.example.com/', description: '', events, visits: [] });
let nextId = 1;
/** A link of eight days, unless told. */
async function link(code: string, { ageMs = 8 * DAY, id = BigInt(nextId++), more = '' } = {}) {
  const values = [id, code, new Date(FIRST - ageMs)];
  await server.query(
    `INSERT INTO links (id, domain_id, code, long_url, created_at)
     SELECT $1::bigint, id, $2, 'https://example.com/a', $3 FROM domains`,
    values,
  );
  if (more !== '') await server.query(`UPDATE links SET ${more} WHERE id = $1`, [id]);
  return id;
}
const traffic = (id: bigint, at: number, visits: number, { visitClass = 0, slot = 0 } = {}) =>
  server.query('INSERT INTO link_traffic VALUES ($1, $2, $3, $4, $5, 0)', [id, new Date(at), visitClass, slot, visits]);
/** The same in every `step`th window of the seven days before the first one. */
const before = (id: bigint, visits: number, step = 1, days = 7) =>
  server.query(
    `INSERT INTO link_traffic SELECT $1, $2::timestamptz - nr * interval '15 minutes', 0, 0, $3, 0
     FROM generate_series($4::integer, $5::integer, $4::integer) AS nr`,
    [id, new Date(FIRST), visits, step, days * 96],
  );
/** What was told, as `code@window`. */
async function told(): Promise<string[]> {
  const rows = await server.query<{ body: string }>('SELECT body FROM webhook_events');
  const events = rows.map(({ body }) => JSON.parse(body) as Told);
  return events
    .map(({ data }) => `${data.shortUrl.shortCode}@${(Date.parse(data.windowStart) - FIRST) / WINDOW}`)
    .sort();
}
interface Told {
  data: { shortUrl: { shortCode: string }; windowStart: string };
}

describe('a link with far more visits than it usually has', () => {
  it('is told from 50 visits on, four times the mean and twice the busiest window of a usual day', async () => {
    await make();
    const cases: [string, number, (id: bigint) => unknown][] = [
      ['quiet', 50, () => undefined],
      ['steady', 100, (id) => before(id, 25)],
      ['daily-mail', 400, (id) => before(id, 200, 96)],
      ['one-surge', 50, (id) => before(id, 300, 96, 3)], // in three of seven days
    ];
    for (const [code, visits, history] of cases) {
      const [at, below] = [await link(`${code}-at`), await link(`${code}-below`)];
      for (const id of [at, below]) await history(id);
      await traffic(at, FIRST, visits - 1);
      await traffic(at, FIRST, 1, { slot: 1 });
      await traffic(below, FIRST, visits - 1);
      await traffic(below, FIRST + WINDOW, 1); // another window
    }
    await run();
    expect(await told()).toEqual(cases.map(([code]) => `${code}-at@0`).sort());
  });

  it('is told with the numbers it was found by, each with its unit', async () => {
    await make();
    const id = await link('told', { ageMs: 2 * DAY + MINUTE });
    await before(id, 25);
    await traffic(id, FIRST - DAY / 2, 5, { slot: 3 });
    await traffic(id, FIRST, 250);
    await run();
    const [row] = await server.query<{ body: string }>('SELECT body FROM webhook_events');
    expect(JSON.parse(row!.body)).toEqual({
      type: 'link.anomaly',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        shortUrl: expect.objectContaining({ domain: 'sho.rt', shortCode: 'told', longUrl: 'https://example.com/a' }),
        windowStart: new Date(FIRST).toISOString().replace('.000Z', 'Z'),
        windowSeconds: 900,
        visits: 250,
        usualVisits: 25.03,
        usualBusiestWindow: 30,
        factor: 10,
        comparedDays: 2,
      },
    });
  });

  it('is one that people visit, and that was there for a day', async () => {
    await make();
    const ids: Record<string, bigint> = {
      'a-day-old': await link('a-day-old', { ageMs: DAY }),
      new: await link('new', { ageMs: DAY - 1 }),
      purged: await link('purged', { more: `purged_before = to_timestamp(${(FIRST - DAY) / 1_000 + 1})` }),
      deleted: await link('deleted', { more: 'deleted_at = now()' }),
      'just-imported': await link('just-imported', { id: BigInt(FIRST - DAY + 1 - SNOWFLAKE_EPOCH_MS) << 22n }),
      imported: await link('imported', { id: BigInt(FIRST - DAY - SNOWFLAKE_EPOCH_MS) << 22n }),
    };
    for (const id of Object.values(ids)) await traffic(id, FIRST, 90);
    const [bots, people] = [await link('bots'), await link('people')];
    await traffic(people, FIRST, 40);
    await traffic(people, FIRST, 10, { visitClass: 4 });
    await traffic(bots, FIRST, 49);
    for (const visitClass of [1, 2, 3]) await traffic(bots, FIRST, 1_000, { visitClass });
    await run();
    expect(await told()).toEqual(['a-day-old@0', 'imported@0', 'people@0']);
  });

  it('is told again after a day at the earliest, however long it lasts', async () => {
    await make();
    const id = await link('lasting');
    for (const window of [0, 1, 50, 95, 96, 97]) await traffic(id, FIRST + window * WINDOW, 60);
    const other = await link('other');
    await traffic(other, FIRST + WINDOW, 60);
    for (let window = 0; window < 98; window += 49) {
      now = FIRST + (window + 49) * WINDOW + MINUTE;
      await run();
    }
    expect(await told()).toEqual(['lasting@0', 'lasting@96', 'other@1']);
  });

  it('is not kept from being told by 2,000 busier ones that were', async () => {
    await make();
    await traffic(await link('small'), FIRST, 60);
    await server.query(`INSERT INTO links (id, domain_id, code, long_url, created_at)
      SELECT 1000000 + nr, id, 'busy-' || nr, 'https://example.com/', now() - interval '8 days'
      FROM domains CROSS JOIN generate_series(1, 2000) AS nr`);
    await server.query(`INSERT INTO link_traffic SELECT id, $1, 0, 0, 1000, 0 FROM links WHERE code ~ '^busy-'`, [
      new Date(FIRST),
    ]);
    await server.query(`INSERT INTO link_anomalies SELECT id, $1 FROM links WHERE code ~ '^busy-'`, [
      new Date(FIRST - WINDOW),
    ]);
    await run();
    expect(await told()).toEqual(['small@0']);
  });
});

describe('a window', () => {
  it('that closed while no worker ran is searched by the next one, and those of more than a day are not', async () => {
    await make();
    for (const window of [0, 1, 2, 97]) await traffic(await link(`w${window}`), FIRST + window * WINDOW, 60);
    now = FIRST + 98 * WINDOW - 1;
    await run();
    expect(await told()).toEqual(['w1@1', 'w2@2']);
    now += MINUTE + 1;
    await run();
    await run();
    expect(await told()).toEqual(['w1@1', 'w2@2', 'w97@97']);
  });

  it('is searched once by workers that do it together, die in it, or find visits that came late', async () => {
    await make();
    const id = await link('late');
    await traffic(await link('once'), FIRST, 60);
    const dying = {
      query: database.query.bind(database),
      transaction: (work: (tx: never) => Promise<unknown>) =>
        database.transaction(async (tx) => {
          await work(tx as never);
          throw new Error('died');
        }),
    };
    await expect(run(dying as never)).rejects.toThrow('died');
    expect(await told()).toEqual([]);
    await Promise.all([run(), run(), run()]);
    expect(await told()).toEqual(['once@0']);
    await traffic(id, FIRST, 60);
    await run();
    expect(await told()).toEqual(['once@0']);
  });

  it('has the same event id for all who hear of it, and again after PostgreSQL was restored', async () => {
    await make();
    await make(['link.created', 'link.anomaly']);
    await traffic(await link('restored'), FIRST, 60);
    await run();
    const ids = () => server.query('SELECT event_id FROM webhook_events ORDER BY webhook_id');
    const first = await ids();
    expect(first).toEqual([first[0], first[0]]);
    await server.query('DELETE FROM webhook_events');
    await server.query('DELETE FROM link_anomalies');
    await server.query('UPDATE anomaly_search SET until = $1', [new Date(FIRST)]);
    await run();
    expect(await ids()).toEqual(first);
  });

  it('is open until its visits are counted, an hour at most', async () => {
    await make();
    await traffic(await link('waits'), FIRST, 60);
    const end = FIRST + WINDOW;
    now = end + 50 * MINUTE;
    for (const answer of [end + MINUTE - 1, undefined]) {
      measure = () => Promise.resolve(answer);
      await run();
    }
    measure = () => Promise.reject(new Error('Kafka is away'));
    await run();
    expect(await told()).toEqual([]);
    now = end + 60 * MINUTE;
    await run();
    expect(await told()).toEqual(['waits@0']);
  });

  it('is told only to webhooks that were there before its end, are enabled and want to hear of it', async () => {
    const { webhook: late } = await make();
    await server.query('UPDATE webhooks SET created_at = $1', [new Date(FIRST + WINDOW)]);
    await make(['link.created']);
    const { webhook: disabled } = await make();
    await webhooks.edit(disabled.id, { enabled: false });
    const id = await link('unheard');
    await traffic(id, FIRST, 60);
    await traffic(id, FIRST + WINDOW, 120);
    await run();
    expect([await told(), await server.query('SELECT FROM link_anomalies')]).toEqual([[], []]);
    now += WINDOW;
    await run();
    expect(await told()).toEqual(['unheard@1']);
    await webhooks.remove(late.id);
    now += 4 * WINDOW;
    await run();
    const [search] = await server.query<{ until: Date }>('SELECT until FROM anomaly_search');
    expect(search?.until).toEqual(new Date(FIRST + 6 * WINDOW));
  });
});
