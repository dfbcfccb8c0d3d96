import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { HOUR_MS } from '@hopcount/ledger';
import { openLedger, randomHistory, randomSource } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { VisitLog } from './visit-log.js';

const FROM = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: FROM, to: FROM + 3 * HOUR_MS };
const BOTS = ['bot', 'preview', 'prefetch'];

describe('the visit log', () => {
  let server: TestDatabase;
  let database: Database;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(21);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'log-spec' });
    commit = await openLedger(database);
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  it('pages through the log newest first, with and without bots, in any range', async () => {
    const visits = randomHistory(random, '1', RANGE, 57);
    await commit([...visits, ...randomHistory(random, '2', RANGE, 5)]);
    const newestFirst = [...visits].sort((a, b) => (a.eventId < b.eventId ? 1 : -1));
    const log = new VisitLog(database);
    for (const [from, to] of [
      [undefined, undefined],
      [FROM + 1_234_567, RANGE.to - 7_654],
      [RANGE.to, FROM],
    ] as const) {
      for (const excludeBots of [false, true]) {
        const expected = newestFirst.filter(
          (visit) =>
            visit.occurredAtMs >= (from ?? 0) &&
            visit.occurredAtMs < (to ?? Infinity) &&
            !(excludeBots && BOTS.includes(visit.class)),
        );
        const ids: string[] = [];
        for (let page = 1; page <= 7; page += 1) {
          const answer = await log.page({ linkId: '1', from, to, excludeBots, page, itemsPerPage: 10 });
          expect(answer.total).toBe(expected.length);
          ids.push(...answer.visits.map((visit) => visit.eventId));
        }
        expect(ids).toEqual(expected.map((visit) => visit.eventId));
      }
    }
  });
});
