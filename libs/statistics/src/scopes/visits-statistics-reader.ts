import {
  type ArchiveReader,
  type CountedBy,
  EVERYBODY,
  type GroupedBy,
  readKeptFrom,
  type Uniques,
  type ValuePage,
  type VisitsOf,
} from '@hopcount/archive';
import { noVisits, visitClassFromNumber, type VisitsByClass } from '@hopcount/contracts';
import type { Database, Transaction } from '@hopcount/postgres';

import { bucketsInLedger } from '../read/snapshot.js';
import { readKnownDays } from './known-days.js';
import { unknownRuns } from './point-runs.js';
import {
  type AnswerState,
  type AskedScope,
  type ChosenVisits,
  type QuestionSettings,
  ScopeQuestions,
} from './scope-questions.js';
import { classesThrough } from './scope-traffic.js';
import { type AskedUniques, type CountedFrom, VisitsInSnapshot } from './visits-in-snapshot.js';

export interface VisitsQuery extends ChosenVisits {
  /** What is counted beside visits. */
  uniques: AskedUniques;
}

export interface VisitsTotal extends Partial<Uniques> {
  visits: number;
  byClass: VisitsByClass;
}

export type VisitsPoint = { visits: number } & Partial<Uniques>;

export interface VisitsValue extends Partial<Uniques> {
  value: string;
  visits: number;
}

/**
 * Numbers of any scope over [from, to), with any filters, exact at every instant. All of an answer comes from one
 * snapshot. Visits that no filter but one of classes chooses are summed of 15-minute buckets (of a group as long as the
 * ledger has all of the range); all else is counted over visits: those of files where these hold what the buckets of all
 * links say, else those of the ledger. Orphan visits are all in their table.
 */
export class VisitsStatisticsReader {
  readonly #questions: ScopeQuestions;

  constructor(database: Database, archive: Pick<ArchiveReader, 'visits' | 'unknown'>, settings: QuestionSettings = {}) {
    this.#questions = new ScopeQuestions(database, archive, settings);
  }

  async totals(query: VisitsQuery): Promise<AnswerState & { totals: VisitsTotal }> {
    return this.#ask(
      query,
      async (question) => {
        const byClass = noVisits();
        const { counts, uniques } = await question.totals();
        for (const [key, visits] of counts) byClass[visitClassFromNumber(Number(key))] += visits;
        const visits = [...counts.values()].reduce((sum, count) => sum + count, 0);
        return { totals: { visits, ...(query.uniques !== 'none' && asked(query, uniques)), byClass } };
      },
      { same: 'totals', starts: [query.from] },
    );
  }

  /** @param starts of the points, ascending, the first one the range's own */
  async series(query: VisitsQuery, starts: readonly number[]): Promise<AnswerState & { points: VisitsPoint[] }> {
    return this.#ask(
      query,
      async (question) => {
        const by: CountedBy = { by: 'point', starts };
        const counts = starts.length === 0 ? new Map<string, number>() : await question.visitsBy(by);
        const uniques =
          query.uniques !== 'none' && starts.length > 0 ? await question.uniquesBy(by, { counts }) : undefined;
        const points = starts.map((_, point) => ({
          visits: counts.get(String(point)) ?? 0,
          ...(uniques && asked(query, uniques.get(String(point)))),
        }));
        return { points };
      },
      { same: ['series', starts], starts },
    );
  }

  /** A page of the values of a dimension; `values` and `visits` are of all values together. */
  async values(
    query: VisitsQuery,
    of: GroupedBy,
    page: ValuePage,
  ): Promise<AnswerState & { rows: VisitsValue[]; values: number; visits: number }> {
    const answer = async (question: VisitsInSnapshot) => {
      const { rows, ...all } = await question.page(of, page);
      if (query.uniques === 'none' || rows.length === 0) return { rows, ...all };
      const ofRows = { dimension: of, values: rows.map(({ value }) => value), prefixes: [], isExcluded: false };
      const uniques = await question.uniquesBy({ by: 'value', of }, { more: [ofRows] });
      return { rows: rows.map((row) => ({ ...row, ...asked(query, uniques.get(row.value)) })), ...all };
    };
    return this.#ask(query, answer, { same: ['values', of, page] });
  }

  /** The values of FIRST_SEEN, in the same form. */
  async firstSeen(
    query: VisitsQuery,
    page: ValuePage,
  ): Promise<AnswerState & { rows: VisitsValue[]; values: number; visits: number }> {
    const { order, isAscending, offset, limit } = page;
    const answer = async (question: VisitsInSnapshot) => {
      const sign = isAscending ? 1 : -1;
      const byValue = (a: VisitsValue, b: VisitsValue) => (a.value < b.value ? -1 : 1);
      const rows = Object.entries(await question.firstSeen())
        .map(([value, visits]): VisitsValue => ({ value, visits }))
        .filter(({ visits }) => visits > 0)
        .sort((a, b) => (order === 'visits' ? sign * (a.visits - b.visits) || byValue(a, b) : sign * byValue(a, b)));
      const visits = rows.reduce((sum, row) => sum + row.visits, 0);
      return { rows: rows.slice(offset, offset + limit), values: rows.length, visits };
    };
    return this.#ask(query, answer, { same: ['first seen', page] });
  }

  /** @param how `starts`: of the points of which visitors may be known; absent: visits have to be looked at */
  async #ask<Answer>(
    query: VisitsQuery,
    answer: (question: VisitsInSnapshot) => Promise<Answer>,
    { same, starts }: { same: unknown; starts?: readonly number[] },
  ): Promise<AnswerState & Answer> {
    const ask = (counted: CountedFrom) => answer(new VisitsInSnapshot(query, counted));
    const { scope } = query;
    const as = { same, isLight: starts !== undefined && isLight(query) };
    if (scope.of === 'orphans') return this.#questions.askOrphans({ ...query, scope }, (whole) => ask({ whole }), as);
    const work = async ({ tx, of, looked }: AskedScope) => {
      const summed = await readSummed(tx, of, query, starts);
      await looked.expectAffordable(summed?.runs ?? [query]);
      looked.days = summed?.known.size ?? 0;
      if (summed === undefined) return looked.visits(query, (whole) => ask({ whole }));
      const answered = await ask({ ...summed, tx, of, looked });
      // Where all of it was looked at for its visitors, that has said what is unknown.
      const isLookedAt = summed.runs.some(({ from, to }) => from <= query.from && to >= query.to);
      if (!isLookedAt) await looked.judge(query);
      await looked.compareFew(await bucketsInLedger(tx, query), scope.of === 'link' ? of : EVERYBODY);
      return answered;
    };
    return this.#questions.ask(query, work, as);
  }
}

/** Sums of few buckets: of everybody, or of one link. */
function isLight({ scope, uniques, filters }: VisitsQuery): boolean {
  const isOfFew = scope.of === 'all' || scope.of === 'domain' || scope.of === 'link';
  return isOfFew && uniques === 'none' && classesThrough(filters) !== undefined;
}

/** What is known without a look at any visit, and of which points visitors are left to be looked at; undefined: all is. */
async function readSummed(
  tx: Transaction,
  of: VisitsOf,
  { from, to, filters, uniques }: VisitsQuery,
  starts: readonly number[] | undefined,
): Promise<Pick<Exclude<CountedFrom, { whole: unknown }>, 'classes' | 'known' | 'runs'> | undefined> {
  if (from >= to) return { classes: [], known: new Map(), runs: [] };
  const classes = starts === undefined ? undefined : classesThrough(filters);
  if (starts === undefined || classes === undefined) return undefined;
  // Nobody knew the group of what was purged after the ledger had dropped it: buckets and days of groups may be wrong there.
  if (of.groupId !== undefined && from < (await readKeptFrom(tx))) return undefined;
  if (uniques === 'none') return { classes, known: new Map(), runs: [] };
  const points = starts.map((start, point) => ({ from: start, to: starts[point + 1] ?? to }));
  const known = await readKnownDays(tx, of, { points, classes });
  return { classes, known, runs: unknownRuns(points, known) };
}

/** What was asked for of what was found; where nothing was, there are none. */
function asked({ uniques }: VisitsQuery, found: Partial<Uniques> = {}): Partial<Uniques> {
  const { visitors = 0, ips = 0 } = found;
  return { ...(uniques !== 'ips' && { visitors }), ...(uniques !== 'visitors' && { ips }) };
}
