import type { ServerResponse } from 'node:http';

import { LinkEditor, LinkStore, type WebhookRecord, WebhookStore } from '@hopcount/links';
import type { OutboundFetcher } from '@hopcount/outbound';
import { Database } from '@hopcount/postgres';
import { createLogger, Reach, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { WorkerConfig } from '../worker.config.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { deliverWebhooks } from './deliver-webhooks.js';
import { expectDeliveries } from './deliveries.spec-helpers.js';
import { type Post, type Receiver, startReceiver } from './receiver.spec-helpers.js';

const HOUR_MS = 3_600_000;
const LEASE_MS = 61_000;

let server: TestDatabase;
let database: Database;
let receiver: Receiver;
let job: JobDefinition;
let webhooks: WebhookStore;
let links: LinkStore;
let editor: LinkEditor;
let nextId = 1n;
/** After the next post its worker comes no further. */
let dies = false;
/** By which the clock of the job is ahead. */
let aheadMs = 0;
/** What the receiver got. */
const posts: Post[] = [];
const registry = new Registry();
const now = () => new Date(Date.now() + aheadMs);
const accept = (_: Post, response: ServerResponse) => void response.writeHead(204).end();
/** What it does then. */
let answer: (post: Post, response: ServerResponse) => void = accept;
const refuse = (_: Post, response: ServerResponse) => void response.writeHead(500).end();

beforeAll(async () => {
  server = await testDatabase();
  database = await Database.connect({ url: server.url, applicationName: 'webhooks-spec' });
  receiver = await startReceiver((post, response) => {
    posts.push(post);
    answer(post, response);
  });
  const { fetcher } = receiver;
  const config = { allowPrivateTargets: false } as WorkerConfig;
  const logger = createLogger({ name: 'test', level: 'silent' });
  job = deliverWebhooks(
    { config, database, metrics: createWorkerMetrics(registry), logger },
    {
      now,
      fetcher: {
        post: async (...given: Parameters<OutboundFetcher['post']>) => {
          const status = await fetcher.post(...given);
          if (dies) {
            dies = false;
            throw new Error('died');
          }
          return status;
        },
      },
    },
  );
  // The receiver has another port than the public has.
  webhooks = new WebhookStore(database, { allowPrivateTargets: true });
  const outbox = { announce: () => Promise.resolve() };
  links = new LinkStore(database, { next: () => nextId++ } as never, outbox, {
    ...{ defaultDomain: 'sho.rt', codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
  });
  editor = new LinkEditor(database, links, outbox, {
    aroundWrite: (_: unknown, work: () => Promise<unknown>) => work(),
  } as never);
  await links.ensureDefaultDomain();
});
afterEach(async () => {
  await server.query('DELETE FROM webhooks');
  posts.length = 0;
  aheadMs = 0;
  answer = accept;
});
afterAll(async () => {
  receiver.stop();
  await database.close();
  await server.drop();
});

const run = () => job.work(new AbortController().signal);
const make = (path = '/', events: ('link.created' | 'link.edited' | 'link.visits_reached')[] = ['link.created']) =>
  webhooks.create({
    ...{ url: `http://hook.test:${receiver.port}${path}`, description: '', events },
    visits: events.includes('link.visits_reached') ? [2, 3, 100] : [],
  });
const create = (customSlug: string | null = null) =>
  links.create(Reach.everything, {
    ...{ longUrl: 'https://example.com/a', customSlug, domain: null, title: 'A', tags: ['b', 'a'], groupId: null },
  });
const state = async (): Promise<WebhookRecord> => (await webhooks.list())[0] as WebhookRecord;
const ids = () => posts.map(({ id }) => id);
const setVisits = (linkId: string, visits: number) =>
  server.query('UPDATE link_totals SET visits = $2 WHERE link_id = $1', [linkId, visits]);
/** As the job's clock sees it: to when it would try again. */
const untilResumed = async () => {
  const [row] = await server.query<{ resumes_at: Date }>('SELECT resumes_at FROM webhooks');
  aheadMs = row!.resumes_at.getTime() - Date.now() + 1;
};

describe('a receiver', () => {
  it('gets what happened, once, signed as the scheme says', async () => {
    const { secret } = await make('/all', ['link.created', 'link.edited', 'link.visits_reached']);
    await make('/edits', ['link.edited']);
    const link = await create('first');
    await editor.edit(Reach.everything, { code: 'first', domain: null }, { title: 'B', tags: [] });
    await setVisits(link.id, 1);
    // Over two numbers at once; what is purged and comes again is not told again.
    for (const visits of [4, 0, 4]) await setVisits(link.id, visits);
    await run();
    const shortUrl = {
      ...{ id: link.id, domain: 'sho.rt', shortCode: 'first', longUrl: 'https://example.com/a' },
      ...{ title: 'A', groupId: null, version: '1', tags: ['b', 'a'] },
    };
    const edited = { ...shortUrl, title: 'B', version: '2', tags: [] };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const received = posts
      .filter(({ path }) => path === '/all')
      .map(({ body }) => JSON.parse(body) as { type: string });
    expect(received.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { type: 'link.created', timestamp: at, data: { shortUrl } },
      { type: 'link.edited', timestamp: at, data: { shortUrl: edited } },
      { type: 'link.visits_reached', timestamp: at, data: { shortUrl: edited, visits: 2 } },
      { type: 'link.visits_reached', timestamp: at, data: { shortUrl: edited, visits: 3 } },
    ]);
    const ofEdits = posts.filter(({ path }) => path === '/edits');
    expect(ofEdits.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(['link.edited']);
    // One event is the same for whoever hears of it.
    expect(posts.filter(({ id }) => id === ofEdits[0]?.id)).toHaveLength(2);
    for (const { body, headers } of posts.filter(({ path }) => path === '/all')) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => new Webhook(secret).verify(body.replace('first', 'other'), headers)).toThrow();
    }
    const before = posts.length;
    await run();
    expect([posts.length, (await webhooks.list()).map(({ waiting }) => waiting)]).toEqual([before, [0, 0]]);
  });

  it('hears nothing of links that could not be created, and of nothing while it is disabled', async () => {
    const { webhook } = await make();
    await expect(create('first')).rejects.toMatchObject({ code: 'non-unique-slug' });
    await webhooks.edit(webhook.id, { enabled: false });
    await create();
    await webhooks.edit(webhook.id, { enabled: true });
    await run();
    expect(posts).toEqual([]);
  });

  it('that is deleted meanwhile stands in the way of no change of a link, nor of totals; others hear of it', async () => {
    const events = ['link.created', 'link.edited', 'link.visits_reached'] as const;
    const gone = await make('/gone', [...events]);
    await make('/stays', [...events]);
    const link = await create('counted');
    let changes: Promise<PromiseSettledResult<unknown>[]> | undefined;
    await database.transaction(async (tx) => {
      await tx.query('DELETE FROM webhooks WHERE id = $1', [gone.webhook.id]);
      changes = Promise.allSettled([
        create('meanwhile'),
        editor.edit(Reach.everything, { code: 'counted', domain: null }, { title: 'B' }),
        setVisits(link.id, 4),
      ]);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitUntil(async () => (await server.query(waiting)).length === 3, { describe: 'three that wait for it' });
    });
    expect((await changes)?.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    await run();
    const told = posts.map(({ path, body }) => `${path} ${(JSON.parse(body) as { type: string }).type}`);
    expect(told.sort()).toEqual([
      ...['link.created', 'link.created', 'link.edited', 'link.visits_reached', 'link.visits_reached'].map(
        (type) => `/stays ${type}`,
      ),
    ]);
  });

  it('that was down gets all of it once it is back, under the ids it was told before', async () => {
    await make();
    await Promise.all([create(), create()]);
    answer = refuse;
    await run();
    const refused = ids();
    expect(refused).toHaveLength(2);
    expect(await state()).toMatchObject({ waiting: 2, failure: 'The receiver answered 500.', deliveredAt: null });
    await run();
    expect(posts).toHaveLength(2);
    // While it fails a single event is posted to see whether it still does.
    aheadMs = 6_000;
    await run();
    expect(posts).toHaveLength(3);
    answer = accept;
    aheadMs = HOUR_MS;
    posts.length = 0;
    await run();
    expect(ids().sort()).toEqual(refused.sort());
    expect(await state()).toMatchObject({ waiting: 0, failingSince: null, enabled: true });
  });

  it('gets it again, under the same id, from a worker that died after the post', async () => {
    await make();
    await create();
    dies = true;
    await expect(run()).rejects.toThrow('died');
    const [id] = ids();
    await run();
    expect(ids()).toEqual([id]); // for a minute it could still be under way
    aheadMs = LEASE_MS;
    await run();
    await run();
    expect(ids()).toEqual([id, id]);
    expect(await state()).toMatchObject({ waiting: 0 });
  });

  it('that takes nothing for a day is disabled with the reason, and gets what waits when it is enabled again', async () => {
    const { webhook } = await make();
    await create();
    answer = refuse;
    await run();
    while ((await state()).enabled) {
      await untilResumed();
      await run();
    }
    expect(Math.round(aheadMs / HOUR_MS)).toBe(24);
    expect([ids().length, new Set(ids()).size]).toEqual([12, 1]);
    expect(await state()).toMatchObject({
      ...{ enabled: false, waiting: 1 },
      disabledReason: 'Nothing could be delivered for a day: The receiver answered 500.',
    });
    await create();
    answer = accept;
    await run();
    expect(posts.length).toBe(12);
    expect(await webhooks.edit(webhook.id, { enabled: true })).toMatchObject({ disabledReason: null, waiting: 1 });
    await run();
    expect([ids().length, new Set(ids()).size, (await state()).waiting]).toEqual([13, 1, 0]);
  });

  it('that answers 410 is disabled at once', async () => {
    await make();
    await create();
    answer = (_, response) => void response.writeHead(410).end();
    await run();
    expect(await state()).toMatchObject({ enabled: false, disabledReason: 'The receiver answered 410.' });
  });

  it('that takes all but one event goes on, and is not asked about that one after a day', async () => {
    await make();
    await create('poison');
    answer = ({ body }, response) => void response.writeHead(body.includes('poison') ? 422 : 200).end();
    for (let tries = 1; (await state()).waiting > 0; tries += 1) {
      expect(tries).toBeLessThan(12);
      await create();
      await run();
      const [row] = await server.query<{ due_at: Date }>('SELECT due_at FROM webhook_events');
      if (row !== undefined) aheadMs = row.due_at.getTime() - Date.now() + 1;
    }
    const others = posts.filter(({ body }) => !body.includes('poison'));
    expect([others.length, new Set(others.map(({ id }) => id)).size]).toEqual([11, 11]);
    expect([posts.length, (await state()).enabled, Math.floor(aheadMs / HOUR_MS)]).toEqual([22, true, 23]);
  });

  it('that hangs delays nobody else', async () => {
    await Promise.all([make('/hangs'), make('/quick')]);
    const hanging: ServerResponse[] = [];
    answer = (post, response) => (post.path === '/hangs' ? void hanging.push(response) : accept(post, response));
    for (let created = 0; created < 10; created += 1) await create();
    const running = run();
    const quick = () => posts.filter(({ path }) => path === '/quick').length;
    await waitUntil(() => quick() === 10 && hanging.length === 4, { describe: 'all of the other one' });
    // Nor does what comes meanwhile wait for it.
    await create();
    await waitUntil(() => quick() === 11, { describe: 'what came meanwhile' });
    answer = accept;
    for (const response of hanging) response.writeHead(204).end();
    await running;
    expect((await webhooks.list()).map(({ waiting }) => waiting)).toEqual([0, 0]);
  });

  it('S18: on a private address is refused when it is made, and whatever its name leads to when it is posted to', async () => {
    const strict = new WebhookStore(database, { allowPrivateTargets: false });
    const given = { description: '', events: ['link.created'] as const, visits: [] };
    const refused = 'http://10.0.0.5/ http://localhost/ http://[::1]/ ftp://hook.test/ http://a:b@c.test/';
    for (const url of refused.split(' ')) {
      await expect(strict.create({ ...given, url })).rejects.toMatchObject({ code: 'unsafe-target' });
    }
    await expect(strict.create({ ...given, url: 'http://hook.test:6379/' })).rejects.toMatchObject({
      code: 'invalid-data',
    });
    await webhooks.create({ ...given, url: `http://inside.test:${receiver.port}/` });
    await create();
    await run();
    expect(posts).toEqual([]);
    expect(await state()).toMatchObject({ waiting: 1, failure: 'The address is not on the public internet.' });
  });

  it('can be asked how each went, and posted one again under its id; of the newest hundred', () =>
    expectDeliveries({ webhooks, server, make, create, run, untilResumed, ids, set: (to) => (answer = to) }));

  it('that redirects is not followed', async () => {
    await make('/from');
    await create();
    answer = (_, response) => void response.writeHead(302, { location: '/to' }).end();
    await run();
    expect([posts.map(({ path }) => path), (await state()).failure]).toEqual([['/from'], 'The receiver answered 302.']);
  });

  it('for which 10,000 events wait gets no more of them, and that is said', async () => {
    const { webhook } = await make();
    await server.query(`UPDATE webhooks SET resumes_at = 'infinity'`);
    await server.query(`INSERT INTO webhook_events (webhook_id, body) SELECT $1, '{}' FROM generate_series(1, 9999)`, [
      webhook.id,
    ]);
    await create();
    await run();
    expect(await state()).toMatchObject({ waiting: 10_000, overflowedAt: expect.any(Date) });
    await create();
    expect(await state()).toMatchObject({ waiting: 10_000 });
    await expect(webhooks.test(webhook.id, now())).rejects.toMatchObject({ code: 'invalid-data' });
  });
});
