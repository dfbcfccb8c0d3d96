import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { openLedger, randomHistory, randomSource } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { ReadArchive } from '../archive.spec-helpers.js';
import { type LoggedVisit, VisitLog } from './visit-log.js';

const FROM = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: FROM, to: FROM + 3 * HOUR_MS };
const BOTS = ['bot', 'preview', 'prefetch'];

describe('the visit log', () => {
  let server: TestDatabase;
  let database: Database;
  let files: ReadArchive;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(21);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'log-spec' });
    commit = await openLedger(database);
    files = new ReadArchive(database);
  });
  afterAll(async () => {
    await files.close();
    await database.close();
    await server.drop();
  });

  async function expectPages(visits: readonly EnrichedVisit[]) {
    const newestFirst = [...visits].sort((a, b) => (a.eventId < b.eventId ? 1 : -1));
    const log = new VisitLog(database, files.files);
    for (const [from, to] of [
      [undefined, undefined],
      [FROM + 1_234_567, RANGE.to - 7_654],
      [FROM + 1_234_567, FROM + HOUR_MS],
      [RANGE.to, FROM],
    ] as const) {
      for (const excludeBots of [false, true]) {
        const expected = newestFirst.filter(
          (visit) =>
            visit.occurredAtMs >= (from ?? 0) &&
            visit.occurredAtMs < (to ?? Infinity) &&
            !(excludeBots && BOTS.includes(visit.class)),
        );
        const pages: LoggedVisit[] = [];
        for (let page = 1; page <= 7; page += 1) {
          const answer = await log.page({ linkId: '1', from, to, excludeBots, page, itemsPerPage: 10 });
          expect(answer.total).toBe(expected.length);
          pages.push(...answer.visits);
        }
        expect(pages).toMatchObject(
          expected.map(({ eventId, occurredAtMs, class: name, userAgent, city, referrer, destination, latitude }) => ({
            ...{ eventId, occurredAt: occurredAtMs, class: name, userAgent, city, referrer, destination, latitude },
          })),
        );
        expect(pages).toHaveLength(expected.length);
      }
    }
  }

  it('pages through the log newest first, with and without bots, in any range, also where the ledger dropped a part', async () => {
    const visits = randomHistory(random, '1', RANGE, 57);
    await commit([...visits, ...randomHistory(random, '2', RANGE, 5)]);
    await expectPages(visits);
    await files.seal(RANGE.to);
    const keptFrom = new Date(FROM + HOUR_MS);
    await server.query('INSERT INTO ledger_retention VALUES (true, $1)', [keptFrom]);
    await server.query('DELETE FROM visits WHERE occurred_at < $1', [keptFrom]);
    await expectPages(visits);
  });
});
