import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type HostAlertList,
  hostAlertListSchema,
  type HostList,
  hostListSchema,
  hostSchema,
} from '@hopcount/contracts';
import { type EnrichedVisit, HostFold } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

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
  beforeAll(async () => {
    api = await TestApi.start();
    commit = await openLedger(api.resources.database);
    const to = (day: string, targetHost: string, more = {}) =>
      enrichedVisit({ linkId: '7', atMs: Date.parse(`2026-${day}Z`), targetHost, ...more });
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

  it('gives its visits by intervals of any zone', async () => {
    const [, body] = await get(`target/example.net?${JUNE}&timeZone=Asia/Kolkata`);
    expect((body['series'] as { visits: number }[]).filter(({ visits }) => visits > 0)).toEqual([
      { start: '2026-06-10T00:00:00+05:30', visits: 1 },
      { start: '2026-06-11T00:00:00+05:30', visits: 2 },
    ]);
  });

  it('lists what is below a name by visits, page by page', async () => {
    await new HostFold(api.resources.database).fold();
    const [, first] = await get('target?itemsPerPage=1');
    expect(first).toMatchObject({ hosts: { below: null, data: [{ host: 'com', visits: 5, own: 0, children: 1 }] } });
    const names: unknown[] = [];
    for (let next: string | null = ''; next !== null;) {
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
    for (let next: string | null = ''; next !== null;) {
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
    ['alerts?after=7', 'after'],
    ['target/a..b', 'host'],
    ['target/%00', 'host'],
    ['target/~%00', 'host'],
    [`target/${'a.'.repeat(2_000)}b`, 'host'],
    ['nothing/example.net', 'kind'],
    ['target?after=x', 'after'],
    ['target?after=1.~%00', 'after'],
    ['target?below=*.example.net', 'below'],
    ['target/example.net?startDate=2026-06-01T00:01:00Z', 'startDate'],
    ['target/example.net?scope=all', 'scope'],
  ])('refuses %s', async (path, field) => {
    const [status, body] = await get(path);
    expect([status, body['invalidElements']]).toEqual([400, [field]]);
  });
});
