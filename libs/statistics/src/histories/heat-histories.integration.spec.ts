import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Database, type Transaction } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import {
  SlotBackfill,
  type EnrichedVisit,
  HotFolds,
  HOUR_MS,
  hourOf,
  LinkHeat,
  LinkTotals,
  PartitionCheckpoints,
  SlotMerger,
  StatisticsVerifier,
  VisitCommitter,
  visitTotals,
} from '@hopcount/ledger';
import {
  bruteForce,
  bruteForceSeries,
  type RandomSource,
  randomSource,
  randomVisit,
} from '@hopcount/ledger/spec-helpers';
import { ReadArchive } from '../archive.spec-helpers.js';

const START = Date.parse('2026-09-10T22:00:00Z');
const LINKS = ['1', '1', '1', '2'];
const PARTITIONS = 3;
const TIERS = [
  { heat: 6, slots: 2 },
  { heat: 30, slots: 3 },
];

/** One thing that happens; `minutes` move the clock before it does. */
const anyStep = fc.record({
  minutes: fc.constantFrom(0, 0, 0, 3, 20, 61),
  what: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('visits' as const), count: fc.integer({ min: 1, max: 15 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('late' as const), count: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), committed: fc.boolean() }) },
    ...(['duplicates', 'heat', 'fold open', 'merge', 'merge slots', 'seal', 'totals', 'backfill'] as const).map(
      (kind) => ({
        weight: kind === 'heat' || kind === 'fold open' ? 3 : 1,
        arbitrary: fc.record({ kind: fc.constant(kind) }),
      }),
    ),
  ),
  seed: fc.nat(),
});
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** Promoted, folded, visited again, sealed and asked for with files and ledger together: some histories must get that far. */
const HOT: Step[] = [
  15,
  15,
  'heat',
  'fold open',
  8,
  9,
  10,
  'merge',
  11,
  12,
  'merge slots',
  'seal',
  9,
  8,
  7,
  9,
  8,
  7,
].map((what, index) => ({
  minutes: what === 'merge slots' ? 61 : 0,
  what: typeof what === 'number' ? { kind: 'visits', count: what } : ({ kind: what } as Step['what']),
  seed: index,
}));

/** Consumers whose AGGREGATE_FROM is not 1, is, or of both kinds, as while the setting is changed. */
const anyAggregating = fc.constantFrom('hot links' as const, 'every link' as const, 'both' as const);
type Aggregating = typeof anyAggregating extends fc.Arbitrary<infer T> ? T : never;

describe('histories of visits and heat', () => {
  let server: TestDatabase;
  let database: Database;
  let files: ReadArchive;
  /** How often an answer came from a fold that commits had added to. */
  let inlineReads = 0;
  /** And from files and elsewhere together. */
  let mixedReads = 0;
  let merged = 0;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'histories-spec', poolSize: 4 });
    files = new ReadArchive(database);
  });
  afterAll(async () => {
    await files.close();
    await database.close();
    await server.drop();
  });

  class History {
    #now = START;
    readonly #counted: EnrichedVisit[] = [];

    constructor(private readonly aggregating: Aggregating) {}

    async play(step: Step): Promise<void> {
      this.#now += step.minutes * 60_000;
      const random = randomSource(step.seed);
      const visitsAt = (count: number, backMs: number) =>
        Array.from({ length: count }, () =>
          randomVisit(random, random.pick(LINKS), this.#now - random.below(Math.min(backMs, this.#now - START + 1))),
        );
      const { what } = step;
      if (what.kind === 'visits') await this.#commit(visitsAt(what.count, 60_000), random.below(PARTITIONS));
      else if (what.kind === 'late') await this.#commit(visitsAt(what.count, 5 * HOUR_MS), random.below(PARTITIONS));
      else if (what.kind === 'duplicates')
        await this.#commit(this.#counted.slice(-random.below(30)), random.below(PARTITIONS));
      else if (what.kind === 'crash') await this.#crash(visitsAt(6, 60_000), what.committed);
      else await this.#maintain(what.kind);
      await this.#check(random.pick(LINKS), random);
    }

    /** Everything kept at the end is what the ledger says. */
    async finish(): Promise<void> {
      await this.#maintain('totals');
      await this.#maintain('merge');
      const report = await new StatisticsVerifier(database).verify();
      expect(report.differences).toEqual([]);
      expect(report.checked.visits).toBe(this.#counted.length);
    }

    async #commit(visits: EnrichedVisit[], partition: number, through: Pick<Database, 'transaction'> = database) {
      // A new owner each time, as after a crash or a rebalance.
      const ref = { group: 'histories', topic: 'visits', partition };
      const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
      const nextOffset = checkpoint.nextOffset + BigInt(visits.length);
      const ofEveryLink = this.aggregating === 'every link' || (this.aggregating === 'both' && partition > 0);
      const settings = { slots: 100, aggregateFrom: ofEveryLink ? 1 : 6 };
      const committer = new VisitCommitter(through as Database, settings);
      const { inserted } = await committer.commit({ checkpoint, nextOffset, lastRecordAtMs: this.#now, visits });
      const ids = new Set(inserted);
      this.#counted.push(...visits.filter((visit) => ids.has(visit.eventId)));
    }

    /** The process dies before COMMIT, or after it before anybody heard; then the batch is read again. */
    async #crash(visits: EnrichedVisit[], committed: boolean): Promise<void> {
      const crash = new Error('killed');
      const dying: Pick<Database, 'transaction'> = {
        transaction: (work) =>
          database.transaction(async (tx: Transaction) => {
            await work(tx);
            throw crash;
          }),
      };
      if (committed) await this.#commit(visits, 0);
      else await expect(this.#commit(visits, 0, dying)).rejects.toBe(crash);
      await this.#commit(visits, 1);
    }

    async #maintain(
      kind: 'heat' | 'fold open' | 'merge' | 'merge slots' | 'seal' | 'totals' | 'backfill',
    ): Promise<void> {
      if (kind === 'heat')
        await new LinkHeat(database, { aggregateFrom: 6, tiers: TIERS, foldedAtMost: 1 }).measure(this.#now);
      if (kind === 'fold open') await new HotFolds(database, { settleSeconds: 0 }).foldOpenHours(this.#now);
      if (kind === 'merge')
        await new HotFolds(database, { foldedPerWaiting: 1_000, leastRows: 1 }).mergeDeltas(this.#now);
      if (kind === 'merge slots') merged += (await new SlotMerger(database, { slots: 100 }).merge(this.#now)).buckets;
      if (kind === 'seal') await files.seal(hourOf(this.#now));
      if (kind === 'totals') await new LinkTotals(database).refresh();
      if (kind === 'backfill') await new SlotBackfill(database).run({ chunkLinks: 1 });
    }

    async #check(linkId: string, random: RandomSource): Promise<void> {
      const visits = this.#counted.filter((visit) => visit.linkId === linkId);
      const from = random.pick([START - HOUR_MS, this.#now - (this.#now % HOUR_MS), this.#now - 90 * 60_000]);
      const to = random.pick([this.#now + HOUR_MS - (this.#now % HOUR_MS), this.#now + 1, this.#now - 10 * 60_000]);
      const [deltas] = await server.query<{ some: boolean }>(
        'SELECT EXISTS (SELECT FROM link_fold_deltas WHERE link_id = $1) AS some',
        [linkId],
      );
      const answer = await files.reader.read({ linkId, from, to, timeZone: 'Asia/Kolkata', interval: 'hour' });
      const { dimensions, ...totals } = bruteForce(visits, from, to);
      expect(answer.totals).toEqual(totals);
      expect(answer.dimensions).toEqual(dimensions);
      const starts = answer.series.map((point) => Date.parse(point.start));
      const points = answer.series.map(({ visits: count, visitors, ips }) => ({ visits: count, visitors, ips }));
      expect(points).toEqual(bruteForceSeries(visits, starts, to));
      if (deltas?.some === true && answer.readFrom.hourFolds > 0) inlineReads += 1;
      const { archivedVisits } = answer.readFrom;
      if (archivedVisits > 0 && archivedVisits < totals.visits) mixedReads += 1;
      const allTime = await visitTotals(database, LINKS);
      for (const id of LINKS) {
        expect(allTime.get(id)?.total).toBe(this.#counted.filter((visit) => visit.linkId === id).length);
      }
    }
  }

  it('are answered as a count over the ledger would, at every step', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 8, maxLength: 30 }),
        anyAggregating,
        async (steps, aggregating) => {
          await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
          link_folds, link_dimensions, link_fold_deltas, link_heat, consumer_checkpoints,
          slot_backfill, archive_files CASCADE`);
          const history = new History(aggregating);
          for (const step of steps) await history.play(step);
          await history.finish();
        },
      ),
      {
        numRuns: 14,
        endOnFailure: true,
        examples: [
          [HOT, 'hot links'],
          [HOT, 'every link'],
        ],
      },
    );
    expect(Math.min(inlineReads, mixedReads, merged)).toBeGreaterThan(0);
  }, 240_000);
});
