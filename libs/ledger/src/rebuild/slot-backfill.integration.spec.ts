import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { openLedger, randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { LinkTotals } from '../slots/link-totals.js';
import { DAY_MS, HOUR_MS } from '../buckets.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { SlotBackfill } from './slot-backfill.js';

const FROM = Date.parse('2026-09-08T00:00:00Z');
const RANGE = { from: FROM, to: FROM + 3 * DAY_MS };
const LINKS = 40;

describe('backfill of slots', () => {
  let server: TestDatabase;
  let database: Database;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(31);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'backfill-spec', poolSize: 8 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, host_sums, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      link_folds, link_dimensions, consumer_checkpoints, slot_backfill`);
    commit = await openLedger(database);
    for (let link = 1; link <= LINKS; link += 1) await commit(randomHistory(random, String(link), RANGE, 15));
    await commit(randomHistory(random, '7', { from: FROM + 18 * HOUR_MS, to: FROM + 30 * HOUR_MS }, 60));
    await new LinkTotals(database).refresh();
  });

  const forgetCounters = () =>
    server.query('TRUNCATE link_visit_slots, link_totals, link_changes, link_folds, link_dimensions');
  const verify = () => new StatisticsVerifier(database).verify();

  it('fills what is missing while visits are counted, and goes on where it was stopped', async () => {
    await forgetCounters();
    expect((await verify()).differences.length).toBeGreaterThan(LINKS);
    expect(await new SlotBackfill(database).countWrong()).toBeGreaterThanOrEqual(LINKS);
    let counting = true;
    let commits = 0;
    const traffic = async () => {
      for (; counting; commits += 1) {
        const links = Array.from({ length: 5 }, () => String(1 + random.below(LINKS + 10)));
        await commit(links.flatMap((link) => randomHistory(random, link, RANGE, 2)));
      }
    };
    const counted = traffic();
    const stop = new AbortController();
    const first = await new SlotBackfill(database).run({
      chunkLinks: 8,
      signal: stop.signal,
      onProgress: ({ links }) => {
        if (links >= 16) stop.abort();
      },
    });
    expect(first).toMatchObject({ links: 16, finishedAt: null });
    expect(first.filled).toBeGreaterThan(0);
    const before = commits;
    const second = await new SlotBackfill(database).run({ chunkLinks: 2 });
    const meanwhile = commits - before;
    counting = false;
    await counted;
    expect(meanwhile).toBeGreaterThan(0);
    expect(second.finishedAt).not.toBeNull();
    expect(second.links).toBeGreaterThanOrEqual(LINKS);
    await new LinkTotals(database).refresh();
    const report = await verify();
    expect(report.differences).toEqual([]);
    expect(report.checked.totals).toBeGreaterThanOrEqual(LINKS);
    expect(report.skipped).toEqual([]);
  });

  it('loses nothing and adds nothing twice when killed inside a chunk', async () => {
    await forgetCounters();
    await server.query('ALTER TABLE slot_backfill ADD CONSTRAINT killed CHECK (links < 20)');
    await expect(new SlotBackfill(database).run({ chunkLinks: 8 })).rejects.toThrow('killed');
    await server.query('ALTER TABLE slot_backfill DROP CONSTRAINT killed');
    expect(await new SlotBackfill(database).progress()).toMatchObject({ links: 16 });
    expect(await new SlotBackfill(database).run({ chunkLinks: 8 })).toMatchObject({ links: LINKS });
    await new LinkTotals(database).refresh();
    expect((await verify()).differences).toEqual([]);
  });

  it('run by two at once, and again, fills once', async () => {
    await forgetCounters();
    const backfill = () => new SlotBackfill(database).run({ chunkLinks: 3 });
    await Promise.all([backfill(), backfill()]);
    await new LinkTotals(database).refresh();
    expect((await verify()).differences).toEqual([]);
    expect(await backfill()).toMatchObject({ links: LINKS, filled: 0 });
  });

  it('takes off what is too much', async () => {
    await server.query(`INSERT INTO link_visit_slots VALUES (7, false, 5, 100), (4711, true, 3, 9)`);
    expect(await new SlotBackfill(database).countWrong()).toBe(2);
    expect(await new SlotBackfill(database).run()).toMatchObject({ links: LINKS + 1, filled: 2 });
    expect(await new SlotBackfill(database).countWrong()).toBe(0);
    await new LinkTotals(database).refresh();
    expect((await verify()).differences).toEqual([]);
  });
});
