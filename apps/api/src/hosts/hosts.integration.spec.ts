import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  hostComparisonSchema,
  type HostAlertList,
  hostAlertListSchema,
  type HostList,
  hostListSchema,
  hostSchema,
  hostSeriesSchema,
} from '@hopcount/contracts';
import { type EnrichedVisit, HostFold } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { HostLists, HostSeries } from '@hopcount/statistics';
import { waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

const EXPLANATION = {
  ...{ visits: 120, bots: 30, children: 2, referrers: [], countries: [{ country: 'DE', visits: 120 }] },
  links: [{ domain: 's.test', shortCode: 'x', visits: 108 }],
};

describe('visits by host', () => {
  let api: TestApi;
  let commit: (visits: EnrichedVisit[]) => Promise<unknown>;
  const JUNE = 'startDate=2026-06-01&endDate=2026-06-30';
  const get = async (path: string) => {
    const { status, body } = await api.get(`hosts/${path}`);
    return [status, body] as const;
  };
  const to = (day: string, targetHost: string, more = {}) =>
    enrichedVisit({ linkId: '7', atMs: Date.parse(`2026-${day}Z`), targetHost, ...more });
  beforeAll(async () => {
    api = await TestApi.start();
    commit = await openLedger(api.resources.database);
    await commit([
      to('05-10T10:00', 'example.com'),
      ...['05-11T10:00', '05-12T10:00', '05-13T10:00', '05-14T10:00'].map((day) => to(day, 'example.com')),
    ]);
    await commit([
      to('06-10T10:00', 'example.net'),
      to('06-10T22:30', 'shop.example.net'),
      to('06-11T10:00', '192.0.2.7'),
    ]);
    await new HostFold(api.resources.database).fold();
    // Not folded yet.
    await commit([to('06-11T11:00', 'a.shop.example.net', { class: 'bot' }), to('04-11T11:00', 'example.net')]);
  });

  afterAll(() => api.stop());

  it.each([
    ['self', { visits: 1 }, { visits: 2 }],
    ['below', { visits: 2, byClass: { human: 1, bot: 1 } }, { visits: 2 }],
    ['children', { visits: 1, byClass: { human: 1, bot: 0 } }, { visits: 1 }],
    ['subtree', { visits: 3, byClass: { human: 2, bot: 1 } }, { visits: 4 }],
  ])('counts a name: %s', async (scope, totals, allTime) => {
    const [status, body] = await get(
      `target/HTTPS%3A%2F%2FExample.net.%2Fpath?scope=${scope}&${JUNE}&timeZone=Asia/Kolkata`,
    );
    expect([status, hostSchema.safeParse(body).error]).toEqual([200, undefined]);
    expect(body).toMatchObject({ host: 'example.net', scope, totals, allTime, children: 1, lumped: false });
  });

  it('counts what waits below a name also where the collation takes no notice of dots', async () => {
    const sql = (text: string) => api.database.query(text);
    await sql("CREATE COLLATION shifted (provider = icu, locale = 'und-u-ka-shifted')");
    await sql('ALTER TABLE host_changes ALTER COLUMN hosts TYPE text[] COLLATE shifted');
    const [, { totals }] = await get(`target/example.net?scope=below&${JUNE}`);
    await sql('ALTER TABLE host_changes ALTER COLUMN hosts TYPE text[] COLLATE "default"');
    expect(totals).toMatchObject({ visits: 2 });
  });

  it('says of each number that it is not exact, while sums still have what was purged of a dropped month or are known to be wrong', async () => {
    const ofRanges = ['example.net?', 'example.net/series?', 'compare?names=example.net&'];
    const paths = [...ofRanges.map((path) => `target/${path}${JUNE}`), 'target', 'target?by=site'];
    const exact = async (path: string) => {
      const [, body] = await get(path);
      return body['exact'] ?? (body['hosts'] as HostList['hosts'] | undefined)?.exact;
    };
    const expectAll = async (value: boolean) => {
      // From memory, as of a second ago.
      const inMemory = async () => (await exact('target/example.net?period=allTime')) === value;
      await waitUntil(inMemory, { describe: `a total that is exact: ${value}` });
      for (const path of paths) expect([path, await exact(path)]).toEqual([path, value]);
    };
    for (const [table, row] of [
      ['unattributed_purges', "(bucket, class, visits, checksum) VALUES ('2026-01-01Z', 0, 1, 5)"],
      ['doubted_sums', "(from_time, to_time, checks) VALUES ('2026-01-01Z', '2026-01-02Z', '{host-totals}')"],
    ]) {
      await expectAll(true);
      await api.database.query(`INSERT INTO ${table} ${row}`);
      await expectAll(false);
      await api.database.query(`DELETE FROM ${table}`);
    }
    await expectAll(true);
  });

  it('gives its visits by intervals of any zone', async () => {
    const [, body] = await get(`target/example.net?${JUNE}&timeZone=Asia/Kolkata`);
    expect((body['series'] as { visits: number }[]).filter(({ visits }) => visits > 0)).toEqual([
      { start: '2026-06-10T00:00:00+05:30', visits: 1 },
      { start: '2026-06-11T00:00:00+05:30', visits: 2 },
    ]);
  });

  it('gives its visits at any instant, also side by side with others', async () => {
    const range = 'startDate=2026-06-10T10:00:00Z&endDate=2026-06-11T10:00:00.001Z&interval=hour&timeZone=Asia/Kolkata';
    const [status, one] = await get(`target/example.net/series?${range}`);
    expect([status, hostSeriesSchema.safeParse(one).error]).toEqual([200, undefined]);
    expect(one).toMatchObject({ host: 'example.net', totals: { visits: 2 }, allTime: { visits: 4 }, exact: true });
    const { series } = hostSeriesSchema.parse(one);
    expect(series.filter(({ visits }) => visits > 0)).toEqual([
      { start: '2026-06-10T15:30:00+05:30', visits: 1 },
      { start: '2026-06-11T04:00:00+05:30', visits: 1 },
    ]);
    const [, both] = await get(`target/compare?names=example.com,https%3A%2F%2FExample.net&${JUNE}`);
    const { hosts } = hostComparisonSchema.parse(both);
    expect(hosts.map(({ host, totals, allTime, window }) => [host, totals.visits, allTime.visits, window])).toEqual([
      ['example.com', 0, 5, 0],
      ['example.net', 3, 4, 0],
    ]);
    expect(hosts[1]?.series.filter(({ visits }) => visits > 0)).toHaveLength(2);
  });

  it('lists what is below a name by visits, page by page', async () => {
    await new HostFold(api.resources.database).fold();
    const [, first] = await get('target?itemsPerPage=1');
    expect(first).toMatchObject({ hosts: { below: null, data: [{ host: 'com', visits: 5, own: 0, children: 1 }] } });
    const names: unknown[] = [];
    for (let next: string | null = ''; next !== null && names.length < 10;) {
      const [status, body] = await get(`target?itemsPerPage=1${next && `&after=${next}`}`);
      expect([status, hostListSchema.safeParse(body).error]).toEqual([200, undefined]);
      const { data, next: following } = (body as HostList).hosts;
      names.push(...data.map(({ host, visits }) => [host, visits]));
      next = following;
    }
    expect(names).toEqual([
      ['com', 5],
      ['net', 4],
      ['~ip', 1],
    ]);
    expect((await get('target?below=example.net'))[1]).toMatchObject({
      hosts: {
        below: 'example.net',
        data: [{ host: 'shop.example.net', visits: 2, own: 1, byClass: { human: 1, bot: 1 } }],
        next: null,
      },
    });
    expect((await get('target?below=~ip'))[1]).toMatchObject({ hosts: { data: [{ host: '192.0.2.7', visits: 1 }] } });
  });

  it('goes on behind names that nobody can ask for', async () => {
    const labels = ['foo.-', 'a..b', '.b', '', 'x*y', "it's", '%e2%80%ae'];
    const referrers = labels.map((label) => `${label}.com`);
    await commit(referrers.map((referrerHost) => to('04-10T10:00', 'example.net', { referrerHost })));
    await new HostFold(api.resources.database).fold();
    const [, whole] = await get('referrer?below=com&itemsPerPage=500');
    const names: string[] = [];
    for (let next: string | null = ''; next !== null && names.length < 10;) {
      const [status, body] = await get(`referrer?below=com&itemsPerPage=1${next && `&after=${next}`}`);
      expect([status, body]).toMatchObject([200, {}]);
      names.push(...(body as HostList).hosts.data.map(({ host }) => host));
      next = (body as HostList).hosts.next;
    }
    expect(names).toHaveLength(6);
    expect(names).toEqual((whole as HostList).hosts.data.map(({ host }) => host));
  });

  it('says so where a name has no numbers of its own, as its parent has too many names below it', async () => {
    const { database } = api.resources;
    const visits = (names: string[]) => names.map((name) => to('06-12T10:00', `${name}.many.example.net`));
    await commit(visits(['a', 'b', 'c', 'www.c']));
    await new HostFold(database, { children: 2, childrenOfSuffix: 20 }).fold();
    // Not folded yet, and will count with `c`.
    await commit(visits(['d', 'www.d', 'b']));
    const read = async (name: string, scope: string) => {
      const [, body] = await get(`target/${name}?scope=${scope}&${JUNE}`);
      const { totals, allTime, children, lumped } = hostSchema.parse(body);
      return [totals.visits, allTime.visits, children, lumped];
    };
    // No sum of these is kept: what is told of the range is counted visit by visit.
    const lumped = { c: [1, 2], d: [1, 2], 'www.d': [1, 1], e: [0, 0] };
    for (const [name, [self, subtree]] of Object.entries(lumped)) {
      expect([name, await read(`${name}.many.example.net`, 'self')]).toEqual([name, [self, 0, 0, true]]);
      expect([name, await read(`${name}.many.example.net`, 'subtree')]).toEqual([name, [subtree, 0, 0, true]]);
    }
    expect(await read('b.many.example.net', 'subtree')).toEqual([2, 2, 0, false]);
    expect(await read('~rest.many.example.net', 'self')).toEqual([4, 4, 0, false]);
    expect(await read('many.example.net', 'subtree')).toEqual([7, 7, 2, true]);
    expect(await read('many.example.net', 'children')).toEqual([3, 3, 2, true]);
  });

  it('lists those with visits in the last five minutes, by these', async () => {
    const now = (targetHost: string) => enrichedVisit({ linkId: '7', targetHost });
    await commit(['a.hot.dev', 'b.hot.dev', 'a.hot.dev', 'hot.app', 'b.app'].map(now));
    await commit([to('06-13T10:00', 'cold.dev'), enrichedVisit({ atMs: Date.now() - 400_000, targetHost: 'hot.dev' })]);
    await new HostFold(api.resources.database).fold();
    const [, first] = await get('target?orderBy=window&itemsPerPage=1');
    const { data, next } = (first as HostList).hosts;
    expect(data).toMatchObject([{ host: 'dev', visits: 5, window: 3 }]);
    const [, second] = await get(`target?orderBy=window&itemsPerPage=1&after=${next}`);
    expect(second).toMatchObject({ hosts: { data: [{ host: 'app', visits: 2, window: 2 }], next: null } });
    const [, below] = await get('target?orderBy=window&below=hot.dev');
    expect((below as HostList).hosts.data).toMatchObject([
      { host: 'a.hot.dev', visits: 2, window: 2 },
      { host: 'b.hot.dev', visits: 1, window: 1 },
    ]);
  });

  it('answers questions about very many names one after the other, and none that takes too long', async () => {
    const { database } = api.resources;
    const question = { kind: 'target', below: null, after: null, limit: 1 } as const;
    const whileLocked = (work: () => Promise<void>) =>
      database.transaction(async (tx) => {
        await tx.query('LOCK TABLE host_totals IN ACCESS EXCLUSIVE MODE');
        await work();
      });
    const series = new HostSeries(
      database,
      { visits: () => Promise.reject(new Error('no file is needed')), unknown: () => Promise.resolve([]) },
      { namesAtMost: 0 },
    );
    const wide = {
      kind: 'target',
      names: ['net'],
      scope: 'below',
      from: 0,
      to: 900_000,
      starts: [0],
      keyId: 7,
    } as const;
    let asked: Promise<unknown>[] = [];
    await whileLocked(async () => {
      asked = Array.from({ length: 4 }, () => series.read(wide));
      await expect(Promise.race(asked)).rejects.toMatchObject({ code: 'too-many-questions' });
    });
    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const hurried = new HostLists(database, { timeoutMs: 100 });
    await whileLocked(async () => {
      await expect(hurried.list(question)).rejects.toMatchObject({ code: 'answer-takes-too-long', retryable: true });
    });
  });

  it('counts nothing of a name that nobody was sent to', async () => {
    for (const name of ['nobody.test', '__proto__.com', 'evil-example.net', '~rest.example.net']) {
      const [status, body] = await get(`target/${name}?${JUNE}`);
      expect([status, body]).toMatchObject([200, { host: name, totals: { visits: 0 }, allTime: { visits: 0 } }]);
    }
  });

  it('lists surges, those that go on first, page by page', async () => {
    const { database } = api;
    const add = async (host: string, what: string, opened: string | null) => {
      const [row] = await database.query<{ id: string }>(
        `INSERT INTO host_alerts (alert_id, kind, host, what, at, visits, base, is_new, reason, explanation)
         VALUES ($1, 0, $2, $3, '2026-06-10T10:00Z', 120, 10.5, false, $4, $5) RETURNING id`,
        [opened, host, what, what === 'closed' ? 'over' : null, what === 'closed' ? null : JSON.stringify(EXPLANATION)],
      );
      return row!.id;
    };
    const [first, goesOn] = [await add('com.example.a', 'opened', null), await add('com.example.b', 'opened', null)];
    await add('com.example.a', 'escalated', first);
    await add('com.example.a', 'closed', first);
    await database.query(`INSERT INTO host_surges VALUES (0, 'com.example.b', $1, '{}'), (0, 'com.x', NULL, '{}')`, [
      goesOn,
    ]);
    await add('com.example.c', 'closed', await add('com.example.c', 'opened', null));
    const found: unknown[] = [];
    for (let next: string | null = ''; next !== null && found.length < 10;) {
      const [status, body] = await get(`alerts?itemsPerPage=1${next && `&after=${next}`}`);
      expect([status, hostAlertListSchema.safeParse(body).error]).toEqual([200, undefined]);
      const { data, next: following } = (body as HostAlertList).alerts;
      found.push(...data);
      next = following;
    }
    const at = '2026-06-10T10:00:00.000Z';
    const alert = {
      kind: 'target',
      openedAt: at,
      visits: 120,
      usualVisits: 10.5,
      new: false,
      explanation: EXPLANATION,
    };
    const closed = { state: 'closed', closedAt: at, closedBecause: 'over' };
    expect(found).toEqual([
      expect.objectContaining({ ...alert, host: 'b.example.com', state: 'open', escalatedAt: null, closedAt: null }),
      expect.objectContaining({ ...alert, ...closed, host: 'c.example.com', escalatedAt: null }),
      expect.objectContaining({ ...alert, ...closed, host: 'a.example.com', escalatedAt: at }),
    ]);
  });

  it.each([
    ['target?by=site&below=com', 'by'],
    ['report?month=2026-13', 'month'],
    ['report?month=0001-01', 'month'],
    ['report?month=9999-12', 'month'],
    ['report', 'month'],
    ['alerts/stream?lastEventId=x', 'lastEventId'],
    ['alerts?after=7', 'after'],
    ['target/a..b', 'host'],
    ['target/%00', 'host'],
    ['target/~%00', 'host'],
    [`target/${'a.'.repeat(2_000)}b`, 'host'],
    ['nothing/example.net', 'kind'],
    ['target?after=x', 'after'],
    ['target?after=1.~%00', 'after'],
    ['target?after=1.AAAA', 'after'],
    ['target?below=*.example.net', 'below'],
    ['fed/example.net?startDate=2026-06-01T00:01:00Z', 'startDate'],
    ['target/compare?names=example.net,a..b', 'names'],
    ['target/compare?names=a,b,c,d,e,f,g,h,i,j,k', 'names'],
    ['target/compare', 'names'],
    ['target/example.net?scope=all', 'scope'],
  ])('refuses %s', async (path, field) => {
    const [status, body] = await get(path);
    expect([status, body['invalidElements']]).toEqual([400, [field]]);
  });
});
