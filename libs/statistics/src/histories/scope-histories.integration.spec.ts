import { rmSync } from 'node:fs';
import { join } from 'node:path';

import type { VisitFilter } from '@hopcount/archive';
import { DAY_MS, HOUR_MS, hourOf } from '@hopcount/ledger';
import { Reach } from '@hopcount/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { dayOf } from '../range/intervals.js';
import { areEqual, exactnessOf } from '../read/exactness.js';
import type { VisitsAtMost } from '../scopes/affordable.js';
import { ExplainedVisits } from '../scopes/explained-visits.js';
import type { StatisticsScope } from '../scopes/statistics-scope.js';
import { VisitsProof } from '../scopes/visits-proof.js';
import { VisitsStatisticsReader } from '../scopes/visits-statistics-reader.js';
import { relabel } from './relabelled-history.spec-helpers.js';
import { isInScope, newestFirst, passes, type ScopedVisit, seriesOf, totalsOf } from './scope-model.spec-helpers.js';
import { FROM, LINKS, ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

const SEEDS = [1, 2, 3];
const STEPS = 10;
const READINGS = 3;
const ofAll = { reach: Reach.everything, ...SPAN, scope: { of: 'all' }, filters: [], uniques: 'all' } as const;

describe('random histories of visits of all links, domains, groups and tags', () => {
  const happened: Record<string, number> = { relabelled: 0 };

  async function play(history: ScopedHistory): Promise<void> {
    const { random, files } = history;
    await history.commit(60);
    for (let step = 0; step < STEPS; step += 1) {
      const drawn = random.below(10);
      if (drawn < 3) await history.commit(20);
      else if (drawn === 3) await history.repeat();
      else if (drawn < 6) await files.seal(hourOf(FROM + random.below(SPAN.to - FROM)));
      else if (drawn === 6) await history.purge(true);
      else if (drawn === 7) await history.purge(false);
      else if (drawn === 8) happened['relabelled']! += await relabel(history);
      else if (step > STEPS / 2) await history.drop(FROM + random.pick([DAY_MS, 30 * HOUR_MS]));
      else await history.move(random.pick(['1', '2']), random.pick(['g-1', 'g-2', '']));
      await history.read();
    }
    await history.drop(FROM + DAY_MS);
    happened['relabelled']! += await relabel(history);
    await history.purge(true);
    for (const groupId of ['g-2', 'g-1', '']) {
      await history.move('2', groupId);
      await history.purge(true, { linkId: '2', beforeMs: FROM + random.pick([6, 12, 18]) * HOUR_MS });
      await history.read({ of: 'group', groupId });
    }
    for (let reading = 0; reading < READINGS; reading += 1) await history.read();
  }

  it.each(SEEDS)('every answer is a count over the visits that are left (seed %d)', async (seed) => {
    const history = await ScopedHistory.open(seed);
    try {
      await play(history);
    } finally {
      await history.close();
    }
    for (const [what, times] of Object.entries({
      ...history.happened,
      ...history.evidence.happened,
      ...history.hosts.happened,
      ...history.readFrom,
    })) {
      happened[what] = (happened[what] ?? 0) + times;
    }
  });

  it('nothing that can happen was left out', () => {
    expect(Object.entries(happened).filter(([, times]) => times === 0)).toEqual([]);
  });
});

describe('days that were added up', () => {
  let history: ScopedHistory;
  beforeEach(async () => {
    history = await ScopedHistory.open(98);
    await history.commit(200);
  });
  afterEach(() => history.close());

  it('answer for the visitors of whole days, until a visit comes late', async () => {
    const { files } = history;
    const days = { ...SPAN, to: FROM + 2 * DAY_MS };
    await files.seal(days.to);
    const dayAt = (instant: number) => dayOf(instant, 'UTC');
    await files.archive.aggregateDays({ dayOf: dayAt, closedBefore: days.to, nowMs: Date.now() });
    const read = async (scope: StatisticsScope, filters: VisitFilter[], expectedDays: number) => {
      const query = { reach: Reach.everything, ...days, scope, filters, uniques: 'all' as const };
      const { points, unknown, readFrom } = await files.visits.series(query, [FROM, FROM + DAY_MS]);
      const inside = history.visits.filter(
        (visit) => visit.occurredAtMs < days.to && isInScope(visit, scope, new Set()) && passes(visit, filters),
      );
      expect([points, unknown, readFrom.days]).toEqual([seriesOf(inside, [FROM, FROM + DAY_MS]), [], expectedDays]);
      return readFrom.files;
    };
    const bots = { dimension: 'class', values: ['bot'], prefixes: [], isExcluded: false } as const;
    expect(await read({ of: 'all' }, [], 2)).toBe(0);
    expect(await read({ of: 'domain', domainId: 2 }, [bots], 2)).toBe(0);
    expect(await read({ of: 'group', groupId: 'g-1' }, [], 2)).toBe(0);
    expect(await read({ of: 'all' }, [{ ...bots, isExcluded: true }], 0)).toBeGreaterThan(0);
    await history.commit(5, FROM + DAY_MS + 1);
    expect(await read({ of: 'all' }, [], 1)).toBeGreaterThan(0);
  });

  it('are not looked at between days that have to be, and cost nothing', async () => {
    const { files } = history;
    await files.seal(SPAN.to);
    const dayAt = (instant: number) => dayOf(instant, 'UTC');
    await files.archive.aggregateDays({ dayOf: dayAt, closedBefore: SPAN.to, nowMs: Date.now() });
    await history.commit(5, FROM + 1);
    await history.commit(5, FROM + 2 * DAY_MS + 1);
    const starts = [0, 1, 2].map((day) => FROM + day * DAY_MS);
    const days = seriesOf(history.visits, starts);
    const cost = days[0]!.visits + days[2]!.visits;
    const read = (atMost: number) => expensive(history, { files: atMost, ledger: atMost }).series(ofAll, starts);
    const { points, readFrom } = await read(cost);
    expect([points, readFrom.days]).toEqual([days, 1]);
    await expect(read(cost - 1)).rejects.toMatchObject({
      code: 'question-too-expensive',
      details: { estimate: cost, limit: cost - 1 },
    });
  });
});

describe('visits that are purged after the ledger dropped them, and their link changed its group', () => {
  it('are gone from the group they were counted in, and from no other', async () => {
    const history = await ScopedHistory.open(97);
    try {
      await history.commit(200);
      // In the bucket that the purge cuts in two: nobody can tell which of them it has lost, so they stay.
      await history.commit(20, FROM + 2 * DAY_MS + 1);
      await history.drop(SPAN.to);
      const dayAt = (instant: number) => dayOf(instant, 'UTC');
      await history.files.archive.aggregateDays({ dayOf: dayAt, closedBefore: SPAN.to, nowMs: Date.now() });
      await history.move('2', 'g-2');
      await history.purge(true, { linkId: '2', beforeMs: FROM + 2 * DAY_MS + 60_000 });
      expect(history.happened.purgedElsewhere).toBe(1);
      const starts = [0, 1, 2].map((day) => FROM + day * DAY_MS);
      for (const groupId of ['g-1', 'g-2', '']) {
        const inside = history.visits.filter((visit) => visit.groupId === groupId);
        const query = { ...ofAll, scope: { of: 'group', groupId } as const };
        const plain = await history.files.visits.totals({ ...query, uniques: 'none' });
        const { totals, unknown } = await history.files.visits.totals(query);
        const series = await history.files.visits.series(query, starts);
        expect({ groupId, plain: plain.totals, totals, points: series.points }).toEqual({
          groupId,
          plain: plainOf(inside),
          totals: totalsOf(inside),
          points: seriesOf(inside, starts),
        });
        expect([plain.unknown, unknown, series.unknown]).toEqual([[], [], []]);
      }
    } finally {
      await history.close();
    }
  });
});

describe('pages of the visits behind a number', () => {
  it.each(['the ledger', 'files'])('have those of the milliseconds between two looks, each once (%s)', async (from) => {
    const history = await ScopedHistory.open(95);
    try {
      const start = FROM + DAY_MS;
      for (const atMs of [start - 1, start, start + 1]) await history.commit(3, atMs);
      if (from === 'files') await history.files.seal(SPAN.to);
      const explained = new ExplainedVisits(history.ledger.database, history.files.files, { firstLookedAt: 1 });
      // With four on a page the second begins among those at the start of a bucket, and has to look behind it.
      for (const limit of [1, 2, 3, 4, 5]) {
        const ids: string[] = [];
        for (let found = limit; found === limit && ids.length <= history.visits.length;) {
          const { visits } = await explained.read(ofAll, { before: ids.at(-1), limit });
          found = visits.length;
          ids.push(...visits.map(({ eventId }) => eventId));
        }
        expect([limit, ids]).toEqual([limit, newestFirst(history.visits)]);
      }
    } finally {
      await history.close();
    }
  });
});

describe('a question that would take too long', () => {
  let history: ScopedHistory;
  beforeAll(async () => {
    history = await ScopedHistory.open(96);
    await history.commit(50);
  });
  afterAll(() => history.close());

  const domain = { of: 'domain', domainId: 2 } as const;
  const read = (scope: StatisticsScope, files: number, ledger: number, linksNamed?: number) =>
    expensive(history, { files, ledger }, linksNamed).totals({ ...ofAll, scope });

  it.each<[string, StatisticsScope, number | undefined]>([
    ['a group', { of: 'group', groupId: 'g-1' }, undefined],
    ['more links than can be named', domain, 1],
  ])('is refused by the visits of everybody, of %s as well: they are sifted', async (_, scope, linksNamed) => {
    await expect(read(scope, 49, 49, linksNamed)).rejects.toMatchObject({
      code: 'question-too-expensive',
      details: { estimate: 50, limit: 49 },
    });
    expect((await read(scope, 50, 50, linksNamed)).unknown).toEqual([]);
  });

  it('is asked by the visits of links that can be named', async () => {
    const own = history.visits.filter(({ domainId }) => domainId === 2);
    expect((await read(domain, own.length, own.length)).totals).toEqual(totalsOf(own));
  });

  it('says what it read, be it but a part of a quarter of an hour', async () => {
    const cut = { ...ofAll, from: FROM + 1, uniques: 'none' } as const;
    const { totals, readFrom } = await history.files.visits.totals(cut);
    expect(readFrom).toEqual({ days: 0, files: 0, ledgerHours: 1 });
    expect(totals).toEqual(plainOf(history.visits.filter(({ occurredAtMs }) => occurredAtMs > FROM)));
  });

  it('is refused where more of them are in the ledger only than PostgreSQL can count', async () => {
    await expect(read({ of: 'all' }, 50, 49)).rejects.toThrow(/50 visits that are not in the archive yet, of 49/);
  });
});

describe('a file that is lost', () => {
  let history: ScopedHistory;
  beforeEach(async () => {
    history = await ScopedHistory.open(99);
    await history.commit(200);
    await history.files.seal(SPAN.to);
  });
  afterEach(() => history.close());

  const lose = async () => {
    const [file] = await history.ledger.server.query<{ path: string; period_start: Date; period_end: Date }>(
      'SELECT path, period_start, period_end FROM archive_files ORDER BY period_start LIMIT 1',
    );
    rmSync(join(history.files.root, file!.path));
    return { from: file!.period_start.getTime(), to: file!.period_end.getTime() };
  };

  it('is made good by the ledger', async () => {
    await lose();
    const { totals, unknown, readFrom } = await history.files.visits.totals(ofAll);
    expect([totals, unknown]).toEqual([totalsOf(history.visits), []]);
    expect(readFrom).toMatchObject({ ledgerHours: expect.any(Number) });
    expect(readFrom.ledgerHours).toBeGreaterThan(0);
  });

  it('is said where the ledger has dropped it, of those scopes that miss something, with visits exact all the same', async () => {
    await history.drop(SPAN.to);
    const lost = await lose();
    const isLeft = ({ occurredAtMs }: ScopedVisit) => occurredAtMs < lost.from || occurredAtMs >= lost.to;
    const left = history.visits.filter(isLeft);
    const { totals, unknown } = await history.files.visits.totals(ofAll);
    expect(totals).toEqual({ ...totalsOf(left), ...plainOf(history.visits) });
    expect(unknown).toEqual([lost]);
    for (const linkId of LINKS) {
      const isMissed = history.visits.some((visit) => visit.linkId === linkId && !isLeft(visit));
      const answer = await history.files.visits.totals({ ...ofAll, scope: { of: 'link', linkId } });
      expect([linkId, answer.unknown.length > 0]).toEqual([linkId, isMissed]);
    }
    expect(left.length).toBeLessThan(history.visits.length);
  });

  it('makes no sum exact whose proof disagrees, though nobody looks at visits for it', async () => {
    await history.drop(SPAN.to);
    await lose();
    const { database } = history.ledger;
    const exact: boolean[] = [];
    const scopes = [
      { of: 'all' },
      { of: 'domain', domainId: 2 },
      ...LINKS.map((linkId) => ({ of: 'link', linkId }) as const),
      ...['g-1', 'g-2', ''].map((groupId) => ({ of: 'group', groupId }) as const),
    ] as const;
    // Of all days, and of the last one, of which no file is lost.
    for (const [from, scope] of [FROM, FROM + 2 * DAY_MS].flatMap((from) =>
      scopes.map((scope) => [from, scope] as const),
    )) {
      const query = { ...ofAll, scope, uniques: 'none', from } as const;
      const { rows, buckets } = await new VisitsProof(database, history.files.files).read(query);
      const answer = await history.files.visits.totals(query);
      const series = await history.files.visits.series(query, [from]);
      const agrees = areEqual(rows, buckets);
      expect([from, scope, exactnessOf(answer).exact, exactnessOf(series).exact]).toEqual([
        from,
        scope,
        agrees,
        agrees,
      ]);
      exact.push(agrees);
    }
    expect(new Set(exact)).toEqual(new Set([true, false]));
  });
});

function expensive({ ledger, files }: ScopedHistory, visitsAtMost: VisitsAtMost, linksNamed?: number) {
  const settings = { visitsAtMost, ...(linksNamed !== undefined && { linksNamed }) };
  return new VisitsStatisticsReader(ledger.database, files.files, settings);
}

function plainOf(visits: readonly ScopedVisit[]) {
  const { visits: count, byClass } = totalsOf(visits);
  return { visits: count, byClass };
}
