import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deletedVisitsSchema, orphanVisitListSchema, visitsOverviewSchema } from '@hopcount/contracts';

import { newEventId } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

const NONE = { total: 0, nonBots: 0, bots: 0 };

describe('orphan visits over REST', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  /** As the consumer leaves one: type and class by their numbers. */
  const insert = async (at: string, type: number, visitClass: number, path: string) => {
    await api.database.query(
      `INSERT INTO orphan_visits (occurred_at, event_id, type, class, enrichment_version, domain, path, country, region,
         city, latitude, longitude, referrer, user_agent, source)
       VALUES ($1, $2, $3, $4, 1, 'go.test', $5, 'DE', 'Bavaria', 'unknown', 48.1, 11.5, NULL, 'Firefox', 'gw')`,
      [at, newEventId(Date.parse(at)), type, visitClass, path],
    );
  };
  const list = async (query = '') => {
    const { status, body } = await api.get(`visits/orphan${query}`);
    expect(status).toBe(200);
    return orphanVisitListSchema.parse(body).visits;
  };
  const overview = async () => visitsOverviewSchema.parse((await api.get('visits')).body).visits;

  it('are listed and counted, deleted, and stay so', async () => {
    expect(await overview()).toEqual({ nonOrphanVisits: NONE, orphanVisits: NONE });
    await insert('2026-11-01T10:00:00Z', 0, 0, '/');
    await insert('2026-11-02T10:00:00Z', 1, 1, '/no-such-code');
    await insert('2026-11-03T10:00:00Z', 2, 0, '/a/b');
    await api.database.query('INSERT INTO link_visit_slots VALUES (1, false, 0, 5), (1, true, 0, 2), (2, false, 7, 1)');
    expect(await overview()).toEqual({
      nonOrphanVisits: { total: 8, nonBots: 6, bots: 2 },
      orphanVisits: { total: 3, nonBots: 2, bots: 1 },
    });
    const all = await list();
    expect(all.data.map(({ type, visitedUrl, potentialBot }) => [type, visitedUrl, potentialBot])).toEqual([
      ['regular_404', 'http://go.test/a/b', false],
      ['invalid_short_url', 'http://go.test/no-such-code', true],
      ['base_url', 'http://go.test/', false],
    ]);
    expect(all.data[0]).toMatchObject({ referer: '', redirectUrl: null, visitLocation: { countryName: 'Germany' } });
    expect((await list('?type=base_url')).data).toHaveLength(1);
    expect((await list('?domain=GO.test')).data).toHaveLength(3);
    expect((await list('?domain=DEFAULT')).data).toHaveLength(0);
    expect((await list('?domain=o.test&type=base_url')).pagination.totalItems).toBe(0);
    expect((await list('?excludeBots=true&itemsPerPage=1&page=2')).pagination).toMatchObject({
      totalItems: 2,
      pagesCount: 2,
      itemsInCurrentPage: 1,
    });
    const november = 'orphans=true&startDate=2026-11-01&endDate=2026-11-30';
    const ask = async (path: string) => (await api.get(`statistics/${path}`)).body;
    expect(await ask(`totals?${november}`)).toMatchObject({
      ...{
        totals: { visits: 3, ips: 0, byClass: { human: 2, bot: 1 } },
        exact: true,
        countedUpTo: null,
        pending: null,
      },
    });
    expect((await ask(`totals?${november}`))['totals']).not.toHaveProperty('visitors');
    expect(await ask(`dimensions/path?${november}&filter[]=type!=base_url&domain=GO.test&orderBy=value`)).toMatchObject(
      {
        ...{ dimension: 'path', visits: 2, values: { data: [{ value: '/a/b' }, { value: '/no-such-code' }] } },
      },
    );
    expect((await api.get(`statistics/series?${november}&interval=month&format=csv`)).body['text']).toBe(
      'start,visits,ips\n2026-11-01T00:00:00+00:00,3,0\n',
    );
    await insert(new Date().toISOString(), 1, 0, '/now');
    expect(await ask('live?orphans=true&filter[]=path^=/no')).toMatchObject({ minutes5: { visits: 1 }, pending: null });
    await api.database.query(`DELETE FROM orphan_visits WHERE path = '/now'`);
    const refused = [
      'tag totals?orphans=true&tag=x',
      'shortCode live?orphans=true&shortCode=x',
      'uniques series?orphans=true&uniques=visitors',
      'name dimensions/browser?orphans=true',
      'name dimensions/type',
      'filter totals?orphans=true&filter[]=browser=x',
      'filter totals?orphans=true&filter[]=type=x',
      'filter totals?filter[]=path=x',
      'orphans links?orphans=true',
      'orphans proof?orphans=true',
    ].map((line) => line.split(' ') as [string, string]);
    for (const [element, path] of refused) {
      expect([path, await ask(path)]).toEqual([
        path,
        expect.objectContaining({ status: 400, invalidElements: [element] }),
      ]);
    }
    expect((await list('?startDate=2026-11-02&endDate=2026-11-02')).data).toHaveLength(1);
    expect((await api.get('visits/orphan?type=nothing')).body).toMatchObject({ invalidElements: ['type'] });
    const [before] = await api.database.query<{ now: Date }>('SELECT now()');
    const deleted = await api.request('DELETE', '/rest/v3/visits/orphan');
    expect([deleted.status, deletedVisitsSchema.parse(deleted.body)]).toEqual([200, { deletedVisits: 3 }]);
    expect((await overview()).orphanVisits).toEqual(NONE);
    expect((await list()).pagination.totalItems).toBe(0);
    const marked = await api.database.query('SELECT FROM orphan_horizon WHERE purged_before >= $1', [before!.now]);
    expect(marked).toHaveLength(1);
    expect((await api.request('DELETE', '/rest/v3/visits/orphan')).body).toEqual({ deletedVisits: 0 });
  });
});
