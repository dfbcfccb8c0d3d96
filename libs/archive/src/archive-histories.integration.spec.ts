import { readFileSync, writeFileSync } from 'node:fs';

import { areHostSumsExact, BUCKET_MS, DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { postgresErrorCode } from '@hopcount/postgres';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ArchiveSpec, eventIdsOf, hourAt, readRows } from './archive.spec-helpers.js';
import { expectedSums, type GroupedVisit, keptSums } from './filed-sums/kept-sums.spec-helpers.js';

const FROM = hourAt('10T00');
const SPAN_MS = 2 * DAY_MS;
const LINKS = ['1', '2', '3'];
const GROUPS = ['', 'g-1', 'g-2'];

/** Few instants of their own, so that visits, purges and ends of hours meet. */
const offset = fc.oneof(
  // Each hour is a file.
  fc.tuple(fc.nat(SPAN_MS / HOUR_MS / 4 - 1), fc.nat(HOUR_MS - 1)).map(([hour, ms]) => 4 * hour * HOUR_MS + ms),
  fc.constantFrom(0, BUCKET_MS - 1, BUCKET_MS, HOUR_MS - 1, HOUR_MS, DAY_MS - 1, DAY_MS),
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('commit' as const), at: fc.array(offset, { minLength: 1, maxLength: 12 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), nth: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('purge' as const), link: fc.constantFrom(...LINKS), at: offset }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('erase' as const), people: fc.nat(3), at: offset }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      link: fc.constantFrom(...LINKS),
      group: fc.constantFrom(...GROUPS),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('seal' as const), before: fc.integer({ min: 1, max: 48 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('damage' as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const SELDOM: Step[] = [
  { do: 'damage', nth: 0 },
  { do: 'seal', before: 26 },
  { do: 'merge' },
  { do: 'purge', link: '1', at: HOUR_MS },
  ...[0, 1, 2, 3].map((people) => ({ do: 'erase', people, at: DAY_MS }) as const),
];
interface Held {
  id: string;
  link: string;
  bucket: string;
}

/** A quarter of all visitors. */
const visitorsOf = (people: number) => Array.from({ length: 10 }, (_, n) => String(n * 4 + people - 20));

describe('random histories of late visits, repetitions, moves, purges, erasures, sealing, merges, damage, dropped months and restores', () => {
  let spec: ArchiveSpec;
  const happened = {
    fromFiles: 0,
    fromLedger: 0,
    removed: 0,
    merged: 0,
    damaged: 0,
    late: 0,
    dropped: 0,
    refused: 0,
    erased: 0,
    erasedFromFilesAlone: 0,
    purgedElsewhere: 0,
    notAttributed: 0,
  };
  beforeAll(async () => {
    spec = await ArchiveSpec.open();
    for (const link of LINKS) await spec.ledger.addLink(link);
    await spec.ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g-1', '1'), ('g-2', '2')`);
  });
  afterAll(() => spec.close());

  async function start() {
    await spec.ledger.server.query(
      'TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, link_changes, archive_files CASCADE',
    );
    await spec.ledger.server.query('TRUNCATE erasures, unattributed_purges');
    await spec.ledger.server.query('UPDATE links SET purged_before = NULL, group_id = NULL');
    await spec.ledger.server.query('DELETE FROM ledger_retention');
    await spec.ledger.server.query('ALTER TABLE visits_default DROP CONSTRAINT IF EXISTS visits_default_kept_from');
    await spec.ledger.server.query('DROP TABLE IF EXISTS visits_2026_09');
    await spec.ledger.server.query(`SELECT create_visit_partitions('2026-09-01Z', '2026-09-02Z')`);
    let isDropped = false;
    const random = randomSource(7);
    const batches: EnrichedVisit[][] = [];
    const marks = new Map<string, number>();
    const erased: { visitors: string[]; beforeMs: number }[] = [];
    const groups = new Map<string, string>();
    let kept: GroupedVisit[] = [];
    let nowMs = Date.now();
    const isAfterPurge = ({ linkId, occurredAtMs }: EnrichedVisit, stepMs: number) =>
      occurredAtMs - (occurredAtMs % stepMs) + stepMs > (marks.get(linkId) ?? 0);
    const isErased = ({ visitor, occurredAtMs }: EnrichedVisit) =>
      erased.some(({ visitors, beforeMs }) => occurredAtMs < beforeMs && visitors.includes(visitor ?? ''));
    const survivors = <Visit extends EnrichedVisit>(visits: readonly Visit[]) =>
      visits.filter((visit) => isAfterPurge(visit, 1) && !isErased(visit));

    async function commit(visits: EnrichedVisit[]): Promise<void> {
      if (isDropped) {
        // Refused as a whole, unless there is nothing to add: all of it is kept out by purges.
        const refused = await spec.commit(visits).catch((error: unknown) => error);
        if ('inserted' in (refused as object)) expect(refused).toMatchObject({ inserted: [] });
        else expect(postgresErrorCode(refused)).toBe('23514');
        happened.refused += 1;
        return;
      }
      await spec.commit(visits);
      const known = new Set(kept.map(({ eventId }) => eventId));
      const fresh = survivors(visits).filter(({ eventId }) => !known.has(eventId));
      kept = [...kept, ...fresh.map((visit) => ({ ...visit, groupId: groups.get(visit.linkId) ?? '' }))];
    }

    /** Every sum is that of the visits that are left; but that files alone know the groups and hosts of what was purged from them. */
    async function checkSums(): Promise<void> {
      const [{ groups: byGroup, hosts, hostsOfAllTime, ...sums }, expected] = [
        await keptSums(spec.ledger),
        expectedSums(kept),
      ];
      expect(sums).toEqual({ scopes: expected.scopes, slots: expected.slots });
      if (!(await areHostSumsExact(spec.ledger.database))) {
        happened.notAttributed += 1;
        return;
      }
      const { groups: groupsLeft, hosts: hostsLeft, hostsOfAllTime: ofAllTime } = expected;
      expect({ byGroup, hosts, hostsOfAllTime }).toEqual({
        ...{ byGroup: groupsLeft, hosts: hostsLeft, hostsOfAllTime: ofAllTime },
      });
    }

    /**
     * Where number and checksum of a link and bucket are those of link_traffic the files answer, elsewhere the
     * ledger: together each visit once.
     */
    async function check(): Promise<void> {
      const held = await readRows<Held>(
        (await spec.active()).map((file) => spec.pathOf(file)),
        `event_id::VARCHAR AS id, link_id::VARCHAR AS link, (epoch_ms(occurred_at) // 900000 * 900000)::VARCHAR AS bucket`,
      );
      const traffic = await spec.ledger.server.query<{ key: string; visits: number; checksum: string }>(
        `SELECT link_id || ' ' || (extract(epoch FROM bucket) * 1000)::bigint AS key, sum(visits)::int AS visits,
           bit_xor(checksum)::text AS checksum
         FROM link_traffic GROUP BY link_id, bucket`,
      );
      const fromFiles = groupBy(held, ({ link, bucket }) => `${link} ${bucket}`);
      const fromLedger = groupBy(
        await spec.ledger.server.query<Held>(
          `SELECT event_id::text AS id, link_id::text AS link,
             (extract(epoch FROM date_bin('15 minutes', occurred_at, '2000-01-01Z')) * 1000)::bigint::text AS bucket FROM visits`,
        ),
        ({ link, bucket }) => `${link} ${bucket}`,
      );
      const answered: string[] = [];
      for (const { key, visits, checksum } of traffic) {
        const filed = fromFiles.get(key) ?? [];
        const isSealed = filed.length === visits && xorOf(filed) === BigInt(checksum);
        happened[isSealed ? 'fromFiles' : 'fromLedger'] += 1;
        answered.push(...(isSealed ? filed : (fromLedger.get(key) ?? [])).map(({ id }) => id));
      }
      expect(answered.sort()).toEqual(eventIdsOf(kept));
    }

    const play = async (current: Step) => {
      if (current.do === 'commit') {
        const visits = current.at.map((at) => randomVisit(random, random.pick(LINKS), FROM + at));
        batches.push(visits);
        happened.late += (await spec.active()).length > 0 ? 1 : 0;
        await commit(visits);
      }
      if (current.do === 'repeat' && batches.length > 0) await commit(batches[current.nth % batches.length] ?? []);
      if (current.do === 'move') {
        const { link, group } = current;
        await spec.ledger.server.query('UPDATE links SET group_id = $2 WHERE id = $1', [link, group || null]);
        groups.set(link, group);
      }
      if (current.do === 'purge') {
        const before = kept;
        marks.set(current.link, Math.max(marks.get(current.link) ?? 0, FROM + current.at));
        await spec.purge(current.link, FROM + current.at);
        // Nobody can tell the halves of a bucket apart where the ledger is gone.
        kept = isDropped ? kept.filter((visit) => isAfterPurge(visit, BUCKET_MS)) : survivors(kept);
        const gone = before.filter((visit) => !kept.includes(visit));
        const isElsewhere = ({ linkId, groupId }: GroupedVisit) => groupId !== (groups.get(linkId) ?? '');
        if (isDropped && gone.some(isElsewhere)) happened.purgedElsewhere += 1;
      }
      if (current.do === 'erase') await erase(visitorsOf(current.people), FROM + current.at);
      if (current.do === 'seal') await seal(FROM + current.before * HOUR_MS);
      if (current.do === 'merge') {
        const { into, failed } = await spec.archive.merge(FROM + SPAN_MS, (nowMs += 2 * DAY_MS));
        expect(failed).toEqual([]);
        happened.merged += into;
      }
      if (current.do === 'damage' && !isDropped) await damage(current.nth);
      if (current.do === 'drop' && !isDropped) await drop();
      if (current.do === 'restore' && isDropped) await restore();
      if (current.do === 'remove') await spec.archive.removeFiles((nowMs += 2 * DAY_MS));
      await check();
      await checkSums();
    };
    async function erase(visitors: string[], beforeMs: number): Promise<void> {
      if (isDropped) await seal(FROM + SPAN_MS);
      erased.push({ visitors, beforeMs });
      const left = kept.filter((visit) => !isErased(visit));
      const gone = kept.length - left.length;
      const fromMs = Number.NEGATIVE_INFINITY;
      expect(await spec.erase({ person: 'visitor', hashes: visitors, fromMs, beforeMs })).toBe(gone);
      happened[isDropped ? 'erasedFromFilesAlone' : 'erased'] += gone;
      kept = left;
      const inFiles = await readRows<{ at: string; visitor: string | null }>(
        (await spec.active()).map((file) => spec.pathOf(file)),
        'epoch_ms(occurred_at)::VARCHAR AS at, visitor::VARCHAR AS visitor',
      );
      expect(inFiles.filter(({ at, visitor }) => Number(at) < beforeMs && visitors.includes(visitor ?? ''))).toEqual(
        [],
      );
    }
    async function seal(before: number): Promise<void> {
      const report = await spec.seal(before);
      expect(report.failed).toEqual([]);
      happened.removed += report.removedVisits;
      expect(await spec.archive.dueHours(before, 'all')).toEqual([]);
      if (before === FROM + SPAN_MS) expect(await areHostSumsExact(spec.ledger.database)).toBe(true);
      const inFiles = kept.filter(({ occurredAtMs }) => occurredAtMs < before);
      expect(await spec.contents()).toEqual(expect.arrayContaining(eventIdsOf(inFiles)));
    }
    async function drop(): Promise<void> {
      await seal(FROM + SPAN_MS);
      expect(await spec.drop()).toBeNull();
      expect(await spec.ledger.server.query('SELECT FROM visits')).toEqual([]);
      isDropped = true;
      happened.dropped += 1;
    }
    async function restore(): Promise<void> {
      await seal(FROM + SPAN_MS);
      await spec.archive.restore(FROM, { keepUntilMs: 0 });
      isDropped = false;
      // As the worker does: what a purge left of a bucket goes now.
      const unfinished = await spec.ledger.server.query<{ link: string }>(
        'SELECT link_id AS link FROM unfinished_purges',
      );
      for (const { link } of unfinished) await spec.purge(link, marks.get(link) ?? 0);
      kept = survivors(kept);
    }
    async function damage(nth: number): Promise<void> {
      const files = await spec.active();
      const file = files[nth % files.length];
      if (file === undefined) return;
      const bytes = readFileSync(spec.pathOf(file));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(spec.pathOf(file), bytes);
      spec.restart();
      await spec.archive.scrub((nowMs += 2 * DAY_MS));
      happened.damaged += 1;
    }
    return { play, seal, kept: () => eventIdsOf(kept) };
  }

  it('every visit that survives is answered from a file or from the ledger, once', async () => {
    const missing = () => Object.entries(happened).filter(([, times]) => times === 0);
    const histories = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async (steps) => {
      const history = await start();
      await history.play({ do: 'commit', at: [0, 1, BUCKET_MS, HOUR_MS, HOUR_MS + 1, DAY_MS, DAY_MS + HOUR_MS] });
      await history.play({ do: 'seal', before: 26 });
      for (const current of [...steps, { do: 'move', link: '1', group: 'g-1' } as const]) await history.play(current);
      await history.play({ do: 'commit', at: [HOUR_MS + 1, DAY_MS, DAY_MS + 2, DAY_MS + HOUR_MS] });
      await history.play({ do: 'drop' });
      for (const [link, group] of [
        ['1', 'g-2'],
        ['2', 'g-1'],
      ] as const)
        await history.play({ do: 'move', link, group });
      for (const link of ['1', '2']) await history.play({ do: 'purge', link, at: DAY_MS });
      await history.play({ do: 'commit', at: [2] });
      for (const people of [1, 2]) await history.play({ do: 'erase', people, at: DAY_MS + 1 });
      await history.play({ do: 'restore' });
      await history.seal(FROM + SPAN_MS);
      expect(await spec.contents()).toEqual(history.kept());
      expect(await spec.archive.verify(FROM + SPAN_MS)).toMatchObject({
        differences: [],
        dueHours: [],
        purgedVisits: 0,
      });
    });
    // What is drawn seldom is in the example. What is drawn may still leave a case out: then once more.
    for (let round = 1; round <= 5 && missing().length > 0; round += 1) {
      await fc.assert(histories, { numRuns: 8, endOnFailure: true, examples: [[SELDOM]] });
    }
    expect(missing()).toEqual([]);
  }, 400_000);
});

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** The 62 random bits of each id, as the contract says. */
function xorOf(held: readonly Held[]): bigint {
  const mask = (1n << 62n) - 1n;
  return held.reduce((sum, { id }) => sum ^ (BigInt(`0x${id.replaceAll('-', '').slice(16)}`) & mask), 0n);
}
