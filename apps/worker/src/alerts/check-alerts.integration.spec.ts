import type { ServerResponse } from 'node:http';

import { BUCKET_MS, HOST_KINDS } from '@hopcount/contracts';
import type { AlertSubject } from '@hopcount/links';
import { createLogger, Registry } from '@hopcount/runtime';
import { testApiKey } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { deliverWebhooks } from '../webhooks/deliver-webhooks.js';
import { type Post, type Receiver, startReceiver } from '../webhooks/receiver.spec-helpers.js';
import type { WorkerConfig } from '../worker.config.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { AlertsSpec, DAY, HOUR, START } from './check-alerts.spec-helpers.js';

let spec: AlertsSpec;
let receiver: Receiver;
const posts: Post[] = [];

beforeAll(async () => {
  spec = await AlertsSpec.open();
  receiver = await startReceiver((post, response: ServerResponse) => {
    posts.push(post);
    response.writeHead(204).end();
  });
});
afterEach(async () => {
  await spec.clear();
  posts.length = 0;
});
afterAll(async () => {
  receiver.stop();
  await spec.close();
});

const quarter = (nth: number) => START + nth * BUCKET_MS;
/** Visits of link 1, of the quarters from `from` on. */
const visitsFrom = async (from: number, counts: readonly number[]) => {
  for (const [nth, visits] of counts.entries()) if (visits > 0) await spec.visits(1, quarter(from + nth), visits);
};
const usualDays = async (visits: number, days = 7) => {
  for (let ago = 1; ago <= days; ago += 1) {
    for (let nth = -4; nth < 12; nth += 1) await spec.visits(1, quarter(nth) - ago * DAY, visits);
  }
};
const deliver = () =>
  deliverWebhooks(
    {
      ...{ config: { allowPrivateTargets: false } as WorkerConfig, database: spec.database },
      ...{ metrics: createWorkerMetrics(new Registry()), logger: createLogger({ name: 'test', level: 'silent' }) },
    },
    { fetcher: receiver.fetcher, now: () => new Date() },
  ).work(new AbortController().signal);
const hook = (path: string) => ({ url: `http://hook.test:${receiver.port}${path}` });

describe('an alert', () => {
  it('is told once when its condition is met, and again only after a whole window without it', async () => {
    const link = await spec.link(1);
    await spec.make('above', link, { threshold: 10, windowMinutes: 30 });
    await visitsFrom(0, [10, 0, 10, 0, 0, 0, 10]);
    // Quarter by quarter, and what closed while no worker ran.
    for (const nth of [1, 2, 3]) await spec.runAt(quarter(nth));
    expect(await spec.told()).toEqual(['above@1']);
    await spec.runAt(quarter(9));
    await spec.runAt(quarter(9));
    expect(await spec.told()).toEqual(['above@1', 'above@7']);
  });

  it('of fewer visits is told when there are none, not while its first window began before it', async () => {
    const link = await spec.link(1);
    const quiet = await spec.make('below', link, { name: 'quiet', windowMinutes: 30 });
    const young = await spec.make('below', link, { name: 'young', windowMinutes: 30 });
    await spec.server.query('UPDATE alerts SET created_at = $2 WHERE id = $1', [young.alert.id, new Date(quarter(1))]);
    await visitsFrom(-4, [1, 1, 1, 1, 0, 0, 0]);
    await spec.runAt(quarter(3));
    expect(await spec.told()).toEqual(['quiet@2', 'young@3']);
    expect(await spec.alerts.get(spec.owner(), quiet.alert.id)).toMatchObject({
      ...{ ongoing: true, toldAt: new Date(quarter(2)), checkedUntil: new Date(quarter(3)) },
    });
  });

  it('of a rise or drop compares with the median of the same time on seven days, and with a week before', async () => {
    const link = await spec.link(1);
    await usualDays(20);
    // One surge of the days before changes nothing.
    for (let nth = 0; nth < 8; nth += 1) await spec.visits(1, quarter(nth) - 2 * DAY, 1_000, 4);
    for (const kind of ['rise', 'drop'] as const) await spec.make(kind, link, { threshold: 50 });
    await visitsFrom(-4, [20, 20, 20, 20, 20, 180, 20, 20, 20, 20, 0, 0, 0]);
    await spec.runAt(quarter(9));
    expect(await spec.told()).toEqual(['rise@2', 'drop@9']);
    const [first] = (await spec.bodies()).filter(({ data }) => data.kind === 'rise');
    expect(first).toEqual({
      type: 'alert.triggered',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        ...{ id: expect.any(Number), name: 'rise', kind: 'rise', subject: 'link', of: 'sho.rt/c1' },
        ...{ visits: 240, usualVisits: 80, threshold: 50, factor: 3 },
        ...{ windowStart: new Date(quarter(-2)).toISOString(), windowEnd: new Date(quarter(2)).toISOString() },
        text: 'rise: sho.rt/c1 had 240 visits, typically 80 (2026-11-18 09:30 to 2026-11-18 10:30, UTC).',
      },
    });
  });

  it('is not told of a weekly peak, nor of what is too small', async () => {
    const link = await spec.link(1);
    await usualDays(5, 6);
    for (let nth = -4; nth < 8; nth += 1) await spec.visits(1, quarter(nth) - 7 * DAY, 100);
    await spec.make('rise', link, { threshold: 50 });
    await spec.make('drop', link, { threshold: 50 });
    await visitsFrom(-4, [100, 100, 100, 100, 100, 100, 0, 0, 0, 0, 0]);
    await spec.runAt(quarter(7));
    expect(await spec.told()).toEqual([]);
  });

  it('of a window longer than a day is compared with windows before it that do not overlap', async () => {
    const link = await spec.link(1);
    for (let day = 0; day < 8; day += 1) await spec.visits(1, START - HOUR - day * DAY, day < 2 ? 300 : 100);
    await spec.make('rise', link, { threshold: 50, windowMinutes: 2 * 1_440 });
    await spec.runAt(quarter(1));
    expect((await spec.bodies())[0]).toMatchObject({ data: { visits: 600, usualVisits: 200 } });
  });

  it('finds earlier windows by the clock of its time zone', async () => {
    // Clocks in Berlin went back an hour on 25 October.
    const at = Date.parse('2026-10-26T09:00:00Z');
    const link = await spec.link(1);
    for (let ago = 2; ago <= 7; ago += 1) await spec.visits(1, at - HOUR - ago * DAY, 60);
    await spec.visits(1, at - DAY, 60);
    await spec.visits(1, at - 7 * DAY, 1);
    await spec.visits(1, at, 60);
    await spec.make('rise', link, { name: 'utc', threshold: 50, windowMinutes: 15 });
    await spec.make('rise', link, { name: 'berlin', threshold: 50, windowMinutes: 15, timeZone: 'Europe/Berlin' });
    await spec.server.query('UPDATE alerts SET looked_until = $1', [new Date(at)]);
    await spec.runAt(at + BUCKET_MS);
    expect((await spec.bodies()).map(({ data }) => data.name)).toEqual(['utc']);
  });

  it('counts people alone', async () => {
    const link = await spec.link(1);
    await spec.make('above', link, { threshold: 10 });
    for (const [visitClass, visits] of [
      [1, 100],
      [0, 4],
      [4, 5],
    ] as const) {
      await spec.visits(1, START, visits, visitClass);
    }
    await spec.runAt(quarter(1));
    expect(await spec.told()).toEqual([]);
  });

  it('waits while it is not known what is counted, and tells it afterwards', async () => {
    await spec.make('below', await spec.link(1));
    spec.now = quarter(2);
    spec.countedUpTo = undefined;
    await spec.run();
    expect(await spec.told()).toEqual([]);
    spec.countedUpTo = quarter(0);
    await spec.run();
    expect(await spec.told()).toEqual([]);
    await spec.runAt(quarter(2));
    expect(await spec.told()).toEqual(['below@1']);
  });

  it('watches a short URL, a tag, a group, a domain, a host with those below it, or all', async () => {
    const { server } = spec;
    const [domain] = await server.query<{ id: number }>('SELECT id FROM domains');
    const [tag] = await server.query<{ id: number }>(`INSERT INTO tags (name) VALUES ('sale') RETURNING id`);
    const link = await spec.link(1);
    await spec.link(2);
    for (const id of [1, 2]) {
      await server.query('INSERT INTO link_tags (link_id, tag_id) VALUES ($1, $2)', [id, tag?.id]);
      await spec.visits(id, START, 10 + id);
    }
    const scopes = `('all', '', 13), ('domain', '${domain?.id}', 14), ('group', 'team', 15)`;
    await server.query(
      `INSERT INTO scope_traffic SELECT scope, id, $1, 0, 0, visits, 0 FROM (VALUES ${scopes}) AS given (scope, id, visits)`,
      [new Date(START)],
    );
    const hosts = await server.query<{ id: number }>(
      `INSERT INTO hosts (kind, name) VALUES (0, 'com.shop'), (0, 'com.shop.www'), (0, 'com.shopping') RETURNING id`,
    );
    for (const [nth, { id }] of hosts.entries()) {
      const values = [id, new Date(START), 20 + nth];
      await server.query(`INSERT INTO host_traffic VALUES (0, $1, $2, 0, '', $3, 1, 0)`, values);
    }
    // Not folded yet.
    await server.query(
      `INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
       VALUES ('{0,0,1}', '{com.shop.www,com.shopping,com.shop}', $1, '{0,0,0}', '{7,100,100}', '{0,0,0}', '{0,0,0}')`,
      [Array.from({ length: 3 }, () => START / 10_000)],
    );
    const subjects: [AlertSubject, number][] = [
      [link, 11],
      [{ of: 'tag', tagId: tag?.id ?? 0 }, 23],
      [{ of: 'all' }, 13],
      [{ of: 'domain', domainId: domain?.id ?? 0 }, 14],
      [{ of: 'group', groupId: 'team' }, 15],
      [{ of: 'host', kind: HOST_KINDS.indexOf('target'), name: 'com.shop' }, 46],
    ];
    for (const [subject] of subjects) await spec.make('above', subject, { name: subject.of });
    await spec.runAt(quarter(1));
    const told = (await spec.bodies()).map(({ data }) => [data.name, data.visits]);
    expect(told.sort()).toEqual(subjects.map(([{ of }, visits]) => [of, visits]).sort());
  });
});

describe('what is posted', () => {
  it('is signed for a webhook, and what Slack reads for Slack', async () => {
    const link = await spec.link(1);
    const { secret, alert } = await spec.make('below', link, hook('/hook'));
    const slack = { ...hook('/slack'), channel: 'slack', name: 'A <b> & c' } as const;
    const { alert: ofSlack } = await spec.make('below', link, slack);
    await spec.runAt(quarter(1));
    for (const { id } of [alert, ofSlack]) await spec.alerts.test(spec.owner(), id, new Date());
    await deliver();
    const [of, ofOther] = ['/hook', '/slack'].map((path) => posts.filter((post) => post.path === path));
    const types = of!.map(
      ({ body, headers }) => (new Webhook(secret ?? '').verify(body, headers) as { type: string }).type,
    );
    expect(types.sort()).toEqual(['alert.triggered', 'webhook.test']);
    const times = '2026-11-18 09:15 to 2026-11-18 10:15, UTC';
    expect(ofOther!.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      expect.arrayContaining([
        { text: `A &lt;b&gt; &amp; c: sho.rt/c1 had 0 visits (${times}).` },
        { text: 'Test of the alert “A &lt;b&gt; &amp; c”.' },
      ]),
    );
    expect((await spec.alerts.get(spec.owner(), alert.id)).deliveredAt).toEqual(expect.any(Date));
  });

  const setRoles = async (role: string | null, group?: string) => {
    await spec.server.query('UPDATE users SET role = $1', [role]);
    if (group !== undefined)
      await spec.server.query('INSERT INTO group_roles VALUES ($1, $2, $3)', [spec.userId, group, 'viewer']);
  };
  const ENDS: [string, () => Promise<unknown>][] = [
    ['the role was revoked', () => spec.server.query('DELETE FROM group_roles')],
    ['the user was disabled', () => spec.server.query('UPDATE users SET enabled = false')],
    ['the short URL was moved', () => spec.server.query(`UPDATE links SET group_id = 'other'`)],
    ['the short URL was deleted', () => spec.server.query('UPDATE links SET deleted_at = now()')],
  ];
  it.each(ENDS)('is nothing once %s, also of what waits', async (_, end) => {
    await setRoles(null, 'team');
    const { alert } = await spec.make('below', await spec.link(1, 'team'), hook('/'));
    await spec.runAt(quarter(1));
    expect(await spec.told()).toEqual(['below@1']);
    await end();
    await deliver();
    expect([posts, (await spec.alerts.get(spec.owner(), alert.id)).watched]).toEqual([[], false]);
    await spec.runAt(quarter(9));
    expect(await spec.told()).toEqual([]);
  });

  it('is nothing of an API key that was revoked', async () => {
    const { id: keyId } = await testApiKey(spec.server, { scopes: ['statistics:read'] });
    const owner = spec.owner({ userId: null, keyId });
    await spec.make('below', await spec.link(1), hook('/'), owner);
    await spec.runAt(quarter(1));
    expect(await spec.told()).toEqual(['below@1']);
    await spec.server.query('UPDATE api_keys SET revoked_at = now()');
    await deliver();
    expect(posts).toEqual([]);
  });

  it('is of what its owner may see whole, and goes with it', async () => {
    await setRoles(null, 'team');
    for (const watched of ['all', 'domain', 'tag', 'host'] as const) {
      const subject = { of: watched, domainId: 1, tagId: 1, kind: 0, name: 'com.shop' } as AlertSubject;
      await spec.server.query(
        `INSERT INTO tags (id, name) OVERRIDING SYSTEM VALUE VALUES (1, 't') ON CONFLICT DO NOTHING`,
      );
      await expect(spec.make('above', subject)).rejects.toMatchObject({ code: 'beyond-role' });
    }
    await expect(spec.make('above', { of: 'group', groupId: 'other' })).rejects.toMatchObject({ code: 'beyond-role' });
    await spec.make('above', { of: 'group', groupId: 'team' });
    const left =
      'SELECT (SELECT count(*)::integer FROM alerts) AS alerts, (SELECT count(*)::integer FROM webhooks) AS hooks';
    expect(await spec.server.query(left)).toEqual([{ alerts: 1, hooks: 1 }]);
    await spec.alerts.remove(spec.owner(), (await spec.alerts.list(spec.owner()))[0]!.id);
    const [user] = await spec.server.query<{ id: number }>(
      `INSERT INTO users (email, name, password_hash, role) VALUES ('b@x.test', 'b', '', 'owner') RETURNING id`,
    );
    await spec.make('above', { of: 'all' }, {}, spec.owner({ userId: user?.id ?? 0 }));
    await spec.server.query('DELETE FROM users WHERE id = $1', [user?.id]);
    expect(await spec.server.query(left)).toEqual([{ alerts: 0, hooks: 0 }]);
  });

  it('is of fifty alerts of an owner, and of their own alone', async () => {
    for (let nth = 0; nth < 50; nth += 1) await spec.make('above');
    await expect(spec.make('above')).rejects.toMatchObject({ code: 'too-many-alerts' });
    const { id: keyId } = await testApiKey(spec.server);
    const other = spec.owner({ userId: null, keyId });
    const { alert } = await spec.make('above', { of: 'all' }, {}, other);
    expect((await spec.alerts.list(other)).map(({ id }) => id)).toEqual([alert.id]);
    await expect(spec.alerts.get(spec.owner(), alert.id)).rejects.toMatchObject({ code: 'alert-not-found' });
  });
});
