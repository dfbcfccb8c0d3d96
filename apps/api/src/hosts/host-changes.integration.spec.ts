import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostComparisonSchema, type HostList, hostListSchema, hostSchema } from '@hopcount/contracts';
import { type EnrichedVisit, HostFold, HostReplicas } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { AppError } from '@hopcount/runtime';
import { HostSeries } from '@hopcount/statistics';
import { waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

describe('what changes among hosts', () => {
  let api: TestApi;
  let commit: (visits: EnrichedVisit[]) => Promise<unknown>;
  const get = async (path: string) => {
    const { status, body } = await api.get(`hosts/${path}`);
    return [status, body] as const;
  };
  const to = (day: string, targetHost: string, more = {}) =>
    enrichedVisit({ linkId: '7', atMs: Date.parse(`2026-${day}Z`), targetHost, ...more });
  beforeAll(async () => {
    api = await TestApi.start();
    commit = await openLedger(api.resources.database);
  });
  afterAll(() => api.stop());

  it('lists sites by visits, whatever their suffix is', async () => {
    const shorts = ['a.site.co.uk', 'site.co.uk', 'ann.github.io', 'x.ann.github.io', 'bob.github.io', 'github.io'];
    const names = [...shorts, 'www.example.com', 'example.com', 'example.com', '192.0.2.9', 'x.madeup', 'other.co.uk'];
    await commit(names.map((shortHost) => to('04-09T10:00', 'example.net', { shortHost })));
    await new HostFold(api.resources.database).fold();
    const sitesOf = async (most: number) => {
      const [status, body] = await get(`short?by=site&itemsPerPage=${most}`);
      expect([status, hostListSchema.safeParse(body).error]).toEqual([200, undefined]);
      return (body as HostList).hosts.data
        .filter(({ host }) => host !== 's.test')
        .map(({ host, visits, children }) => ({ host, visits, children }));
    };
    const rows = await sitesOf(100);
    const all = rows.map(({ host, visits }) => [host, visits]);
    // What is below the suffix has rows of its own.
    expect(rows.find(({ host }) => host === 'github.io')?.children).toBe(0);
    expect(rows.find(({ host }) => host === 'ann.github.io')?.children).toBe(1);
    expect(all.slice(0, 3)).toEqual([['example.com', 3], expect.arrayContaining([2]), expect.arrayContaining([2])]);
    expect(Object.fromEntries(all)).toEqual({
      ...{ 'example.com': 3, 'site.co.uk': 2, 'ann.github.io': 2, 'bob.github.io': 1, 'github.io': 1 },
      ...{ '192.0.2.9': 1, madeup: 1, 'other.co.uk': 1 },
    });
    expect((await sitesOf(2)).length).toBeLessThan(3);
  });

  it('lists those with more visits than usual in the last five minutes, by how many more', async () => {
    const now = (targetHost: string, visits: number) =>
      Array.from({ length: visits }, () => enrichedVisit({ linkId: '7', targetHost }));
    const bucket = Math.floor(Date.now() / 900_000) * 900_000;
    // 10 in five minutes.
    const before = Array.from({ length: 11 * 30 }, (_, nth) => bucket - (1 + Math.floor(nth / 30)) * 900_000 + 1_000);
    const known = ['a.steady.zone', 'quiet.zone'].flatMap((targetHost) =>
      before.map((atMs) => enrichedVisit({ linkId: '7', atMs, targetHost })),
    );
    await commit([...known, ...now('a.steady.zone', 9), ...now('steady.zone', 4), ...now('quiet.zone', 7)]);
    await commit([...now('b.fresh.zone', 6), ...now('less.zone', 1), ...now('more.zone', 3)]);
    await new HostFold(api.resources.database).fold();
    const found: unknown[] = [];
    for (let next: string | null = ''; next !== null && found.length < 20;) {
      const [status, body] = await get(`target?orderBy=excess&below=zone&itemsPerPage=2${next && `&after=${next}`}`);
      expect([status, hostListSchema.safeParse(body).error]).toEqual([200, undefined]);
      const { data, next: following } = (body as HostList).hosts;
      found.push(...data.map(({ host, window, usualVisits, excess }) => [host, window, usualVisits, excess]));
      next = following;
    }
    expect(found).toEqual([
      ['fresh.zone', 6, null, 6],
      ['more.zone', 3, null, 3],
      ['steady.zone', 13, 10, 3],
      ['less.zone', 1, null, 1],
    ]);
  });

  it('adds what other data centres counted of all time, and says what each did', async () => {
    await commit(['two.shop', 'a.two.shop'].map((targetHost) => to('04-09T10:00', targetHost)));
    await new HostFold(api.resources.database).fold();
    const alone = hostSchema.parse((await get('target/two.shop'))[1]);
    expect([alone.allTime.visits, alone.dataCentres]).toEqual([2, []]);

    await api.database.query(`INSERT INTO host_datacenter (name, epoch, is_whole) VALUES ('rome', 1, true)`);
    const replicas = new HostReplicas(api.resources.database);
    await replicas.add(['oslo', 'paris']);
    const said = { version: 1, dc: 'paris', epoch: 1 } as const;
    const counted = { ...said, kind: 'target', name: 'shop.two.b', p: 9, n: 2 } as const;
    const asOf = Date.parse('2026-06-01T10:00:00Z');
    const states = [
      { ...counted, class: 'bot' } as const,
      { ...counted, class: 'human', p: 3 } as const,
      { ...said, asOf },
    ];
    await replicas.merge('paris', { from: 0n, to: 3n, states });
    const [status, body] = await get('target/two.shop?scope=subtree');
    const answer = hostSchema.parse(body);
    expect([status, answer.totals.visits, answer.allTime.visits]).toEqual([200, 0, 10]);
    expect(answer.dataCentres).toMatchObject([
      { name: 'rome', own: true, visits: 2, byClass: { human: 2, bot: 0 } },
      { name: 'oslo', own: false, asOf: null, visits: 0 },
      { name: 'paris', own: false, asOf: '2026-06-01T10:00:00.000Z', visits: 8, byClass: { human: 1, bot: 7 } },
    ]);
    const read = async (scope: string) =>
      hostSchema.parse((await get(`target/two.shop?scope=${scope}`))[1]).dataCentres;
    expect((await read('self')).map(({ visits }) => visits)).toEqual([1, 0, 0]);
    expect((await read('children')).map(({ visits }) => visits)).toEqual([1, 0, 8]);
    const [, list] = await get('target?below=shop');
    expect((list as HostList).hosts.data).toMatchObject([{ host: 'two.shop', visits: 10, own: 1, children: 2 }]);
  });

  it('tells surges as they come, and to who comes again what it has missed', async () => {
    const add = (host: string) =>
      api.database.query(
        `INSERT INTO host_alerts (kind, host, what, at, visits, base, is_new) VALUES (0, $1, 'opened', now(), 120, 10.5, false)`,
        [host],
      );
    const gone = new AbortController();
    const open = async (lastEventId?: string) => {
      const headers = { 'x-api-key': api.apiKey, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
      const response = await fetch(`${api.url}/rest/v3/hosts/alerts/stream`, { headers, signal: gone.signal });
      const got = { text: '', hosts: () => [...got.text.matchAll(/"host":"([^"]*)"/g)].map(([, host]) => host) };
      const decoder = new TextDecoder();
      const take = async () => {
        for await (const part of response.body!) got.text += decoder.decode(part as Uint8Array, { stream: true });
      };
      take().catch(() => undefined);
      return got;
    };
    const first = await open();
    await waitUntil(() => first.text.includes('id: '), { describe: 'its place' });
    const place = /id: (\d+)/.exec(first.text)?.[1];
    await add('com.one');
    await waitUntil(() => first.hosts().includes('one.com'), { describe: 'a surge' });
    await add('com.two');
    const again = await open(place);
    await waitUntil(() => again.hosts().includes('two.com'), { describe: 'what came meanwhile' });
    expect(again.hosts()).toEqual(['one.com', 'two.com']);
    gone.abort();
  });

  it('reports what changed in a month of a zone', async () => {
    // It began at 22:00 on 30 April.
    await commit([to('04-30T21:30', 'was.test'), to('05-01T10:00', 'was.test'), to('04-30T22:30', '=new.test')]);
    await commit([to('06-30T21:59', 'was.test')]);
    await new HostFold(api.resources.database).fold();
    const report = async (month: string) => {
      const [status, { text }] = await get(`report?month=${month}&kind=target&timeZone=Europe/Berlin`);
      return [
        status,
        String(text)
          .split('\n')
          .filter((line) => line.includes('.test') || line.startsWith('change')),
      ];
    };
    const header = 'change,kind,host,visits,surges';
    expect(await report('2026-05')).toEqual([200, [header, "new,target,'=new.test,1,0"]]);
    expect(await report('2026-06')).toEqual([200, [header, "gone,target,'=new.test,1,0"]]);
  });

  describe('compared', () => {
    beforeAll(async () => {
      const { database } = api.resources;
      await commit(['a', 'b', 'c', 'd'].map((name) => to('06-14T10:00', `${name}.full.example.net`)));
      // `c` and `d` count at `~rest`.
      await new HostFold(database, { children: 2, childrenOfSuffix: 20 }).fold();
      await commit(['a.hot.dev', 'b.hot.dev', 'a.hot.dev'].map((targetHost) => enrichedVisit({ targetHost })));
      await commit([enrichedVisit({ atMs: Date.now() - 400_000, targetHost: 'hot.dev' })]);
      await new HostFold(database).fold();
    });

    it('have a window of the same hosts as their numbers', async () => {
      const windows = async (names: string, scope: string) => {
        const [, body] = await get(`target/compare?names=${names}&scope=${scope}`);
        return hostComparisonSchema.parse(body).hosts.map(({ window }) => window);
      };
      expect(await windows('dev,hot.dev,a.hot.dev', 'subtree')).toEqual([3, 3, 2]);
      expect(await windows('dev,hot.dev,a.hot.dev', 'below')).toEqual([3, 3, 0]);
      expect(await windows('dev,hot.dev,a.hot.dev', 'children')).toEqual([0, 3, 0]);
      expect(await windows('dev,hot.dev,a.hot.dev', 'self')).toEqual([0, 0, 2]);
      // Not folded yet, and will count at `~rest`.
      await commit([enrichedVisit({ targetHost: 'd.full.example.net' })]);
      const full = ['~rest', 'd', 'b'].map((name) => `${name}.full.example.net`).join(',');
      expect(await windows(full, 'self')).toEqual([1, 1, 0]);
      expect(await windows('full.example.net', 'children')).toEqual([0]);
      expect(await windows('full.example.net', 'subtree')).toEqual([1]);
    });

    it('looks at no more visits for all names of a comparison than it has time for, and ends in time', async () => {
      const { archive, database } = api.resources;
      const [from, until] = [Date.parse('2026-06-14T00:00Z'), Date.parse('2026-06-15T00:00Z')];
      const names = ['net.example.full.c', 'net.example.full.d'];
      const asked = { kind: 'target', names, scope: 'self', from, to: until, starts: [from] } as const;
      const within = (most: number) =>
        new HostSeries(database, archive, { visitsAtMost: { files: most, ledger: most } });
      // Four visits of all hosts, by point and by class, for each name.
      const refused = { code: 'question-too-expensive', retryable: false, details: { estimate: 16, limit: 15 } };
      await expect(within(15).read(asked)).rejects.toMatchObject(refused);
      expect((await within(16).read(asked)).hosts.map(({ totals }) => totals.visits)).toEqual([1, 1]);
      expect((await within(8).read({ ...asked, names: names.slice(1) })).hosts).toMatchObject([{ points: [1] }]);

      const slow = {
        visits: (_tx: unknown, { signal }: { signal?: AbortSignal | undefined }) =>
          new Promise<never>((_resolve, reject) => {
            const end = () => reject(new AppError('archive-question-too-large', 'It was ended.', { retryable: true }));
            signal?.addEventListener('abort', end);
          }),
        unknown: () => Promise.resolve([]),
      };
      const hurried = new HostSeries(database, slow, { timeoutMs: 2_000 });
      await expect(hurried.read(asked)).rejects.toMatchObject({ code: 'answer-takes-too-long', retryable: true });
    });
  });

  it('sums quarters of an hour where not even files have the visits any more, and says that they are not exact', async () => {
    await commit([to('01-10T10:00', 'kept.test'), to('04-10T10:00', 'kept.test')]);
    await new HostFold(api.resources.database).fold();
    await api.database.query(
      "INSERT INTO ledger_retention (kept_from, archived_from) VALUES ('2026-03-01Z', '2026-02-01Z')",
    );
    const [, body] = await get('target/kept.test/series?startDate=2026-01-01&endDate=2026-04-30&interval=month');
    await api.database.query('DELETE FROM ledger_retention');
    const visits = (body['series'] as { visits: number }[]).map((point) => point.visits);
    expect([body['totals'], body['allTime'], visits, body['exact'], body['inexact']]).toMatchObject([
      { visits: 2 },
      { visits: 2 },
      [1, 0, 0, 1],
      false,
      [{ startDate: '2026-01-10T10:00:00+00:00', endDate: '2026-01-10T11:00:00+00:00' }],
    ]);
  });
});
