import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { BUCKET_MS, bucketOf, type EnrichedVisit, HOUR_MS, VisitPurger } from '@hopcount/ledger';
import { noLock, openLedger, randomHistory, randomSource } from '@hopcount/ledger/spec-helpers';
import { Database, type Transaction } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { ReadArchive } from '../archive.spec-helpers.js';
import type { LoggedVisit } from './request-log.js';
import { VisitLog } from './visit-log.js';
import type { VisitScope } from './visit-scope.js';

const FROM = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: FROM, to: FROM + 3 * HOUR_MS };
const BOTS = ['bot', 'preview', 'prefetch'];
const [HOME, OTHER] = [1, 2];

/** Links 1 and 2 are on the first domain, 3 on the other; 1 and 3 have the tag. */
const SCOPES: { scope: VisitScope; links: string[] }[] = [
  { scope: { of: 'link', linkId: '1' }, links: ['1'] },
  { scope: { of: 'all' }, links: ['1', '2', '3'] },
  { scope: { of: 'domain', domainId: HOME }, links: ['1', '2'] },
  { scope: { of: 'domain', domainId: OTHER }, links: ['3'] },
  { scope: { of: 'tag', tagId: 1 }, links: ['1', '3'] },
  { scope: { of: 'tag', tagId: 1, domainId: OTHER }, links: ['3'] },
  { scope: { of: 'tag', tagId: 2 }, links: [] },
];

describe('the visit log', () => {
  let server: TestDatabase;
  let database: Database;
  let files: ReadArchive;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(21);

  beforeAll(async () => {
    server = await testDatabase();
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true), ('o.test', false)`);
    await server.query(`INSERT INTO links (id, domain_id, code, long_url)
      SELECT id, CASE WHEN id = 3 THEN 2 ELSE 1 END, id::text, 'https://example.com/' FROM generate_series(1, 4) AS id`);
    await server.query(`INSERT INTO tags (name) VALUES ('some'), ('none')`);
    await server.query('INSERT INTO link_tags (link_id, tag_id) VALUES (1, 1), (3, 1)');
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
    for (const { scope, links } of SCOPES) {
      for (const [from, to] of [
        [undefined, undefined],
        [FROM + 1_234_567, RANGE.to - 7_654],
        [FROM + 1_234_567, FROM + HOUR_MS],
        [FROM + 7 * 60_000, FROM + 8 * 60_000],
        [RANGE.to, FROM],
      ] as const) {
        for (const excludeBots of [false, true]) {
          const expected = newestFirst.filter(
            (visit) =>
              links.includes(visit.linkId) &&
              visit.occurredAtMs >= (from ?? 0) &&
              visit.occurredAtMs < (to ?? Infinity) &&
              !(excludeBots && BOTS.includes(visit.class)),
          );
          const pages: LoggedVisit[] = [];
          for (let page = 1; page <= Math.ceil(expected.length / 17) + 1; page += 1) {
            const answer = await log.page({
              reach: Reach.everything,
              scope,
              from,
              to,
              excludeBots,
              page,
              itemsPerPage: 17,
            });
            expect([scope, from, answer.total]).toEqual([scope, from, expected.length]);
            pages.push(...answer.visits);
          }
          expect(pages.map(({ eventId }) => eventId)).toEqual(expected.map(({ eventId }) => eventId));
          expect(pages).toMatchObject(
            expected.map(({ eventId, linkId, occurredAtMs, class: name, city, destination, latitude }) => ({
              ...{ eventId, linkId, occurredAt: occurredAtMs, class: name, city, destination, latitude },
            })),
          );
        }
      }
    }
  }

  it('pages newest first through a link, a tag, a domain and all, in any range, also where the ledger dropped a part', async () => {
    let visits = ['1', '2', '3'].flatMap((link) => randomHistory(random, link, RANGE, 50));
    await commit(visits);
    await expectPages(visits);
    await files.seal(RANGE.to);
    const keptFrom = new Date(FROM + HOUR_MS);
    await server.query('INSERT INTO ledger_retention VALUES (true, $1)', [keptFrom]);
    await server.query('DELETE FROM visits WHERE occurred_at < $1', [keptFrom]);
    await expectPages(visits);
    // Files hold what was purged until they are written anew.
    const beforeMs = FROM + 2 * BUCKET_MS;
    await new VisitPurger(database, noLock, { hasSlots: true }).purge('2', { beforeMs });
    visits = visits.filter(({ linkId, occurredAtMs }) => linkId !== '2' || occurredAtMs >= beforeMs);
    await expectPages(visits);
    // The bucket that a purge cuts in two stays whole: nobody knows which of its visits the buckets would have lost.
    const cut =
      visits.find(({ linkId, occurredAtMs }) => linkId === '1' && occurredAtMs < FROM + HOUR_MS)!.occurredAtMs + 1;
    await new VisitPurger(database, noLock, { hasSlots: true }).purge('1', { beforeMs: cut });
    visits = visits.filter(({ linkId, occurredAtMs }) => linkId !== '1' || occurredAtMs >= bucketOf(cut));
    expect(visits.some(({ linkId, occurredAtMs }) => linkId === '1' && occurredAtMs < cut)).toBe(true);
    await expectPages(visits);
  });

  it('shows each visit on one page at most where files lack some', async () => {
    const log = new VisitLog(database, files.files);
    const page = async (number: number, itemsPerPage: number) => {
      const { visits } = await log.page({
        reach: Reach.everything,
        scope: { of: 'all' },
        excludeBots: false,
        page: number,
        itemsPerPage,
      });
      return visits.map(({ eventId }) => eventId);
    };
    const before = await page(1, 5_000);
    // As if a file had been lost: buckets that count more than is there.
    const bucket = new Date(FROM + 2 * BUCKET_MS);
    await server.query(
      `UPDATE scope_traffic SET visits = visits + 3 WHERE scope = 'all' AND bucket = $1 AND class = 0`,
      [bucket],
    );
    const pages: string[] = [];
    for (let number = 1; number <= 20; number += 1) pages.push(...(await page(number, 10)));
    expect(pages).toEqual(before);
  });

  it('reads the visits of a few buckets for a page, however deep it is', async () => {
    const day = { from: FROM + 24 * HOUR_MS, to: FROM + 34 * HOUR_MS };
    const many = randomHistory(random, '4', day, 4_000);
    await commit(many);
    const oneBucket = Math.max(...countBy(many.map(({ occurredAtMs }) => Math.floor(occurredAtMs / BUCKET_MS))));
    for (const scope of [{ of: 'link', linkId: '4' }, { of: 'all' }, { of: 'domain', domainId: HOME }] as const) {
      for (const page of [1, 20, 39]) {
        const { visits, rows } = await read(database, files, { scope, page });
        expect(visits).toBe(100);
        expect(rows).toBeLessThan(2 * (100 + 2 * oneBucket));
      }
    }
  });
});

function countBy(keys: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts.values()];
}

/** A page of a hundred, and how many rows of the ledger it took. */
async function read(database: Database, files: ReadArchive, { scope, page }: { scope: VisitScope; page: number }) {
  let rows = Infinity;
  const transaction: Database['transaction'] = (work, options) =>
    database.transaction(async (tx) => {
      const before = await rowsRead(tx);
      const result = await work(tx);
      rows = (await rowsRead(tx)) - before;
      return result;
    }, options);
  const log = new VisitLog({ transaction } as Database, files.files);
  const query = {
    reach: Reach.everything,
    scope,
    from: FROM + 24 * HOUR_MS,
    excludeBots: false,
    page,
    itemsPerPage: 100,
  };
  return { visits: (await log.page(query)).visits.length, rows };
}

async function rowsRead(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ rows: string }>(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS rows
    FROM pg_stat_xact_user_tables WHERE relname ~ '^visits(_[0-9]|_default)'`);
  return Number(row?.rows);
}
