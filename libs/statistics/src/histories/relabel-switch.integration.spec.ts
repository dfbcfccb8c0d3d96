import type { SealReport, ValuePage } from '@hopcount/archive';
import { DAY_MS, foldHour, hourOf, StatisticsVerifier, VisitRelabeler } from '@hopcount/ledger';
import { bruteForce, foldAllHours } from '@hopcount/ledger/spec-helpers';
import { Reach } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { dayOf } from '../range/intervals.js';
import { relabelled, rulesOf } from './relabelled-history.spec-helpers.js';
import { inOrder, type ScopedVisit, totalsOf, valuesOf } from './scope-model.spec-helpers.js';
import { FROM, LINKS, ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

const RULES = rulesOf(2);
const DAYS = { dayOf: (instant: number) => dayOf(instant, 'UTC'), closedBefore: SPAN.to };
const PAGE: ValuePage = { order: 'visits', isAscending: false, offset: 0, limit: 100 };
const OF_LINK = { ...SPAN, timeZone: 'UTC', interval: 'day' as const };

describe('while history is labelled anew', () => {
  let history: ScopedHistory;
  beforeEach(async () => {
    history = await ScopedHistory.open(94);
    await history.commit(200);
    // A day in files alone, one in files and the ledger, and one in folds.
    await history.drop(FROM + DAY_MS);
    await history.files.seal(FROM + 2 * DAY_MS);
    await foldAllHours(history.ledger.database);
  });
  afterEach(() => history.close());

  const relabeler = () => new VisitRelabeler(history.ledger.database, RULES, { hasSlots: true, visitsAtOnce: 20 });

  /** Everything that has labels, of a link, each from one snapshot. */
  async function ask(linkId: string): Promise<unknown[]> {
    const { reader, visits } = history.files;
    const query = { ...SPAN, reach: Reach.everything, scope: { of: 'link', linkId }, filters: [] } as const;
    const { totals, exact } = await reader.read({ ...OF_LINK, linkId });
    const sums = await visits.totals({ ...query, uniques: 'none' });
    const classes = await visits.values({ ...query, uniques: 'all' }, 'class', PAGE);
    const channels = await visits.values({ ...query, uniques: 'none' }, 'channel', PAGE);
    return [totals.byClass, exact, sums.totals.byClass, classes.rows, channels.rows];
  }

  /** The same of a list of visits. */
  function expected(all: readonly ScopedVisit[], linkId: string): unknown[] {
    const own = all.filter((visit) => visit.linkId === linkId);
    const { byClass } = bruteForce(own, SPAN.from, SPAN.to);
    const channels = inOrder(valuesOf(own, 'channel'), PAGE).map(({ value, visits }) => ({ value, visits }));
    return [byClass, true, totalsOf(own).byClass, inOrder(valuesOf(own, 'class'), PAGE), channels];
  }

  const expectAll = async (all: readonly ScopedVisit[]) => {
    for (const linkId of LINKS) expect([linkId, await ask(linkId)]).toEqual([linkId, expected(all, linkId)]);
  };

  /** The history calls some visits imported after they were counted, which sources do not know. */
  async function differences() {
    const verifier = new StatisticsVerifier(history.ledger.database);
    const found = (await verifier.verify({ slots: 'on', archived: true })).differences;
    return found.filter(({ check }) => check !== 'sources');
  }

  it('each answer of a link is of before or of after, and afterwards all are of after', async () => {
    const before = history.visits;
    const after = relabelled(before, RULES, SPAN);
    let isDone = false;
    const answers: { linkId: string; said: unknown[] }[] = [];
    const reading = (async () => {
      for (let n = 0; !isDone; n += 1) {
        const linkId = LINKS[n % LINKS.length]!;
        answers.push({ linkId, said: await ask(linkId) });
      }
    })();
    const one = relabeler();
    const run = await one.open(SPAN);
    await one.read(run);
    await history.files.archive.relabel(run, RULES, {
      apply: async (tx) => {
        await one.switch(tx, run);
        // Done, but for the COMMIT.
        await expectAll(before);
      },
    });
    isDone = true;
    await reading;
    for (const { linkId, said } of answers) {
      const states = [expected(before, linkId), expected(after, linkId)];
      // Several questions make one of these answers; each of them is of one snapshot.
      for (const [part, value] of said.entries()) {
        expect({ linkId, part, states: states.map((state) => state[part]) }).toEqual({
          linkId,
          part,
          states: expect.arrayContaining([value]),
        });
      }
    }
    expect(answers.length).toBeGreaterThan(LINKS.length);
    await expectAll(after);
    expect(await differences()).toEqual([]);
  });

  it('nothing that was made of old labels is kept: folds, sealed hours, days', async () => {
    const { ledger, files } = history;
    const open = FROM + 2 * DAY_MS + 90 * 60_000;
    await history.commit(40, open);
    const link = history.visits.find(({ occurredAtMs }) => occurredAtMs === open)!.linkId;
    await ledger.server.query('DELETE FROM link_folds WHERE link_id = $1', [link]);
    const after = relabelled(history.visits, RULES, SPAN);
    const one = relabeler();
    const run = await one.open(SPAN);
    await one.read(run);
    const waiting = async () => {
      const [row] = await ledger.server.query<{ n: number }>(
        `SELECT count(DISTINCT pid)::int AS n FROM pg_locks WHERE NOT granted
           AND (database IS NULL OR database = (SELECT oid FROM pg_database WHERE datname = current_database()))
           AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
      );
      return row?.n;
    };
    let makers: Promise<unknown>[] = [];
    await files.archive.relabel(run, RULES, {
      apply: async (tx) => {
        await one.switch(tx, run);
        const due = await files.archive.dueHours(SPAN.to, 'all');
        // Of an hour without a fold: nothing else would stop this one.
        makers = [
          foldHour(ledger.database, link, hourOf(open)),
          files.archive.aggregateDays({ ...DAYS, closedBefore: FROM + DAY_MS, nowMs: Date.now() }),
          files.archive.seal(due),
        ];
        for (const maker of makers) maker.catch(() => undefined);
        await waitUntil(async () => (await waiting()) === makers.length, { describe: 'all to wait for the COMMIT' });
      },
    });
    const [folded, days, sealed] = await Promise.all(makers);
    expect(folded).toBe('conflict');
    expect(days).toMatchObject({ days: 0 });
    // Refused together, hours are read again, each by itself; one that was alone is left to the next run.
    for (const { error } of (sealed as SealReport).failed) expect(error).toMatchObject({ code: 'archive-moved-on' });
    history.visits = after;
    await expectAll(after);
    await foldAllHours(ledger.database);
    await expectAll(after);
    await files.seal(SPAN.to);
    await files.archive.aggregateDays({ ...DAYS, nowMs: Date.now() });
    await files.restart();
    await expectAll(after);
    expect(await differences()).toEqual([]);
    expect((await files.archive.verify(SPAN.to)).differences).toEqual([]);
  });
});
