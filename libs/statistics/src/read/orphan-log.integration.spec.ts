import { UNKNOWN } from '@hopcount/contracts';
import { type EnrichedOrphan, OrphanVisits } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { newEventId, type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { OrphanLog } from './orphan-log.js';

const FROM = Date.parse('2026-09-10T12:00:00Z');

function orphanAt(atMs: number, more: Partial<EnrichedOrphan> = {}): EnrichedOrphan {
  const place = { country: UNKNOWN, region: UNKNOWN, city: UNKNOWN, latitude: null, longitude: null };
  return {
    ...{ eventId: newEventId(atMs), occurredAtMs: atMs, type: 'invalid_short_url', class: 'human' },
    ...{ domain: 's.test', path: '/x', ip: '1', clientIp: '203.0.113.0', ...place },
    ...{ referrer: null, userAgent: 'Firefox', truncated: [], source: 'gw', ...more },
  };
}

describe('orphan visits', () => {
  let server: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'orphan-log-spec' });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  it('are listed newest first, by time, type and bots', async () => {
    const orphans = [
      orphanAt(FROM, { type: 'base_url', path: '/' }),
      orphanAt(FROM + 1, { class: 'bot' }),
      orphanAt(FROM + 2, { type: 'regular_404', path: '/a/b', domain: 'o.test' }),
      orphanAt(FROM + 3, { type: 'blocked', path: '/evil' }),
    ];
    await new OrphanVisits(database).add(orphans);
    const log = new OrphanLog(database);
    const list = async (query: Partial<Parameters<OrphanLog['page']>[0]>) => {
      const { visits, total } = await log.page({
        reach: Reach.everything,
        excludeBots: false,
        page: 1,
        itemsPerPage: 10,
        ...query,
      });
      return [total, ...visits.map(({ eventId }) => orphans.findIndex((orphan) => orphan.eventId === eventId))];
    };
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ page: 2, itemsPerPage: 2 })).toEqual([3, 0]);
    expect(await list({ page: 3, itemsPerPage: 2 })).toEqual([3]);
    expect(await list({ excludeBots: true })).toEqual([2, 2, 0]);
    expect(await list({ type: 'regular_404' })).toEqual([1, 2]);
    expect(await list({ type: 'blocked' })).toEqual([1, 3]);
    expect(await list({ domain: 's.test' })).toEqual([2, 1, 0]);
    expect(await list({ domain: 's.test', type: 'regular_404' })).toEqual([0]);
    expect(await list({ from: FROM + 1, to: FROM + 2 })).toEqual([1, 1]);
    const { visits } = await log.page({
      reach: Reach.everything,
      excludeBots: false,
      type: 'base_url',
      page: 1,
      itemsPerPage: 1,
    });
    expect(visits[0]).toMatchObject({ domain: 's.test', path: '/', userAgent: 'Firefox', country: UNKNOWN });
  });
});
