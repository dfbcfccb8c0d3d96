import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { BUCKET_MS, DAY_MS, toIso } from '../buckets.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { Ledger, noLock, pausePoint, pausingBeforeCommit } from '../ledger.spec-helpers.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { LedgerRebuild } from '../rebuild/ledger-rebuild.js';
import { BucketGatherer } from './bucket-gatherer.js';

const DAY = Date.parse('2026-09-10T00:00:00Z');
const LATER = DAY + 2 * DAY_MS;
const BUCKETS = 48;
/** Whose buckets come between those of the link, until they are gone. */
const OTHERS = 5_000_000;
const random = randomSource(43);

describe('buckets of a closed day', () => {
  let ledger: Ledger;
  let commit: Awaited<ReturnType<Ledger['consumer']>>;
  let lastLink = 3000;
  let link: string;

  beforeAll(async () => {
    ledger = await Ledger.open();
    commit = await ledger.consumer();
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    link = String((lastLink += 1));
    await ledger.addLink(link);
    for (let n = 0; n < BUCKETS; n += 1) {
      await commit(visitsIn(n, 3));
      // On a connection of those that commit: each fills a page of its own.
      await ledger.database.query(
        `INSERT INTO link_traffic SELECT $1 + n, $2, 0, 0, 1, n FROM generate_series(1, 120) AS n ON CONFLICT DO NOTHING`,
        [OTHERS, toIso(DAY + n * BUCKET_MS)],
      );
    }
    await ledger.server.query('DELETE FROM link_traffic WHERE link_id > $1', [OTHERS]);
  });

  const visitsIn = (bucket: number, count: number) =>
    randomHistory(random, link, { from: DAY + bucket * BUCKET_MS, to: DAY + (bucket + 1) * BUCKET_MS }, count);
  const anywhere = (count: number) => randomHistory(random, link, { from: DAY, to: DAY + BUCKETS * BUCKET_MS }, count);
  const gather = (nowMs = LATER, database = ledger.database) => new BucketGatherer(database).gather(nowMs);
  const rows = () => ledger.server.query('SELECT * FROM link_traffic WHERE link_id = $1 ORDER BY 2, 3, 4', [link]);
  const pages = async () => {
    const [row] = await ledger.server.query<{ pages: number }>(
      'SELECT count(DISTINCT (ctid::text::point)[0])::int AS pages FROM link_traffic WHERE link_id = $1',
      [link],
    );
    return row?.pages ?? 0;
  };

  it('of a busy link lie together afterwards, and are what they were', async () => {
    const [before, wide] = [await rows(), await pages()];
    expect(wide).toBeGreaterThanOrEqual(BUCKETS / 2);
    expect(await gather(DAY + DAY_MS + BUCKET_MS)).toBe(0);
    expect(await gather()).toBe(before.length);
    expect(await pages()).toBeLessThanOrEqual(4);
    expect(await rows()).toEqual(before);
    expect(await gather()).toBe(0);
    expect(await ledger.differences()).toEqual([]);
  });

  it('that a commit holds stay where they are', async () => {
    const held = pausePoint();
    const holding = (await ledger.consumer(8, pausingBeforeCommit(ledger.database, held)))(visitsIn(3, 20));
    await held.reached;
    const gathered = await gather();
    held.goOn();
    await holding;
    expect(gathered).toBeGreaterThan(BUCKETS / 2);
    expect(gathered).toBeLessThan((await rows()).length);
    expect(await ledger.differences()).toEqual([]);
  });

  it('to which late visits come while they are gathered have these, too', async () => {
    const taken = pausePoint();
    const gathering = gather(LATER, pausingBeforeCommit(ledger.database, taken));
    await taken.reached;
    const late = commit(anywhere(200));
    taken.goOn();
    expect(await gathering).toBeGreaterThan(0);
    await late;
    expect(await ledger.differences()).toEqual([]);
  });

  it('stay where they are once their month is dropped: a purge deletes them as it finds them', async () => {
    const keepFrom = (at: string) =>
      ledger.server.query(
        'INSERT INTO ledger_retention (kept_from) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET kept_from = $1',
        [at],
      );
    // It has come as far as that day when the month goes.
    const gatherer = new BucketGatherer(ledger.database);
    await gatherer.gather(DAY + DAY_MS);
    await keepFrom(toIso(LATER));
    expect(await gatherer.gather(LATER)).toBe(0);
    await ledger.server.query('DELETE FROM ledger_retention');
  });

  it('stay exact while visits, purges, rebuilds and gathering go on at once', async () => {
    let running = true;
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true, visitsPerTransaction: 50 });
    const again = async (work: () => Promise<unknown>): Promise<unknown> =>
      work().catch((error: { driverError?: { code?: string } }) => {
        if (error.driverError?.code === '40P01') return again(work); // as consumer and purger do
        throw error;
      });
    let [gathered, purges] = [0, 0];
    const forever = async (work: () => Promise<unknown>) => {
      while (running) await again(work);
    };
    const others = [
      forever(async () => {
        // Wherever they lie on two pages.
        gathered += await new BucketGatherer(ledger.database, { ofADay: 1, ofAPage: 1_000 }).gather(LATER);
      }),
      forever(() => new LedgerRebuild(ledger.database).rebuildLinks([link])),
      forever(() => purger.purge(link, { beforeMs: DAY + Math.min((purges += 1), 40) * 60_000 })),
    ];
    const writing = (await Promise.all([1, 2, 3].map(() => ledger.consumer()))).map(async (write) => {
      for (let n = 0; n < 25; n += 1) {
        const batch = anywhere(12);
        await again(() => write(batch));
      }
    });
    await Promise.all(writing).finally(() => (running = false));
    await Promise.all(others);
    expect(gathered).toBeGreaterThan(BUCKETS);
    expect(await ledger.server.query('SELECT FROM link_traffic WHERE visits < 0')).toEqual([]);
    expect(await ledger.differences()).toEqual([]);
  });
});
