import type {
  ArchiveReader,
  CountedBy,
  GroupedBy,
  ScopeSources,
  Uniques,
  ValuePage,
  VisitFilter,
  VisitsOf,
} from '@hopcount/archive';
import { noVisits, visitClassFromNumber, type VisitsByClass } from '@hopcount/contracts';
import { countUncounted, type InstantRange, type PartitionProgress, readCheckpoints } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { Snapshots } from '../read/snapshot.js';
import { expectAffordable } from './affordable.js';
import { classesThrough } from './scope-traffic.js';
import { resolveScope, type StatisticsScope } from './statistics-scope.js';
import { readKnownDays } from './known-days.js';
import { type AskedUniques, type KnownUniques, VisitsInSnapshot } from './visits-in-snapshot.js';

export interface VisitsQuery extends InstantRange {
  /** Of the scope only what is in it. */
  reach: Reach;
  scope: StatisticsScope;
  /** All of them let a visit through that counts. */
  filters: readonly VisitFilter[];
  /** What is counted beside visits. */
  uniques: AskedUniques;
  /** Read this group's checkpoints in the same snapshot, for describeFreshness(). */
  checkpointsOf?: { group: string; topic: string } | undefined;
}

export interface AnswerState {
  uncounted: number;
  /** Ranges of which nobody has all visits any more; [] for an exact answer. */
  unknown: InstantRange[];
  readFrom: { days: number; files: number; ledgerHours: number };
  checkpoints: PartitionProgress[];
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

const NO_SOURCES: ScopeSources = { fromLedger: [], unknown: [], files: undefined };

/**
 * Numbers of any scope over [from, to), with any filters, exact at every instant. All of an answer comes from one
 * snapshot. Visits that no filter but one of classes chooses are summed of 15-minute buckets; all else is counted over
 * visits: those of files where these hold what the buckets of all links say, else those of the ledger.
 */
export class VisitsStatisticsReader {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'visits'>,
  ) {
    this.#snapshots = Snapshots.shared(database);
  }

  async totals(query: VisitsQuery): Promise<AnswerState & { totals: VisitsTotal }> {
    return this.#ask(
      query,
      async (question) => {
        const byClass = noVisits();
        const counts = await question.visitsBy({ by: 'class' });
        for (const [key, visits] of counts) byClass[visitClassFromNumber(Number(key))] += visits;
        const visits = [...counts.values()].reduce((sum, count) => sum + count, 0);
        const uniques = query.uniques !== 'none' ? await question.uniquesBy({ by: 'nothing' }) : undefined;
        return { totals: { visits, ...(uniques && (uniques.get('0') ?? noUniques(query))), byClass } };
      },
      [query.from],
    );
  }

  /** @param starts of the points, ascending, the first one the range's own */
  async series(query: VisitsQuery, starts: readonly number[]): Promise<AnswerState & { points: VisitsPoint[] }> {
    return this.#ask(
      query,
      async (question) => {
        const by: CountedBy = { by: 'point', starts };
        const counts = starts.length === 0 ? new Map<string, number>() : await question.visitsBy(by);
        const uniques = query.uniques !== 'none' && starts.length > 0 ? await question.uniquesBy(by) : undefined;
        const points = starts.map((_, point) => ({
          visits: counts.get(String(point)) ?? 0,
          ...(uniques && (uniques.get(String(point)) ?? noUniques(query))),
        }));
        return { points };
      },
      starts,
    );
  }

  /** A page of the values of a dimension; `values` and `visits` are of all values together. */
  async values(
    query: VisitsQuery,
    of: GroupedBy,
    page: ValuePage,
  ): Promise<AnswerState & { rows: VisitsValue[]; values: number; visits: number }> {
    return this.#ask(query, async (question) => {
      const { rows, ...all } = await question.page(of, page);
      if (query.uniques === 'none' || rows.length === 0) return { rows, ...all };
      const ofRows = { dimension: of, values: rows.map(({ value }) => value), prefixes: [], isExcluded: false };
      const uniques = await question.uniquesBy({ by: 'value', of }, [ofRows]);
      return { rows: rows.map((row) => ({ ...row, ...(uniques.get(row.value) ?? noUniques(query)) })), ...all };
    });
  }

  /** @param starts of the points of which visitors may be known; undefined: visits have to be looked at */
  async #ask<Answer>(
    query: VisitsQuery,
    answer: (question: VisitsInSnapshot) => Promise<Answer>,
    starts?: readonly number[],
  ): Promise<AnswerState & Answer> {
    return this.#snapshots.run(async (tx) => {
      const { checkpointsOf } = query;
      const checkpoints = checkpointsOf ? await readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic) : [];
      const uncounted = query.from < query.to ? await countUncounted(tx, query) : 0;
      const of = await resolveScope(tx, query.reach, query.scope);
      const known = await this.#known(tx, of, query, starts);
      const ask = async (sources: ScopeSources) => {
        const question = new VisitsInSnapshot(tx, this.archive, { ...query, of, known }, sources);
        return { ...(await answer(question)), ...question.state, uncounted, checkpoints };
      };
      if (known.left === undefined) return ask(NO_SOURCES);
      const looked = { ...known.left, of };
      await expectAffordable(tx, of, looked);
      return this.archive.visits(tx, looked, async (sources) => {
        if (sources.fromLedger.length > 0) await expectAffordable(tx, of, looked, sources.fromLedger);
        return ask(sources);
      });
    });
  }

  /** What is known without a look at any visit, and the range that is left to look at; undefined: nothing. */
  async #known(
    tx: Transaction,
    of: VisitsOf,
    query: VisitsQuery,
    starts: readonly number[] | undefined,
  ): Promise<KnownUniques> {
    const { from, to, filters } = query;
    const nothing = new Map<number, Uniques>();
    if (from >= to) return { uniques: nothing, left: undefined };
    const classes = classesThrough(filters);
    if (starts === undefined || classes === undefined) return { uniques: nothing, left: { from, to } };
    if (query.uniques === 'none') return { uniques: nothing, left: undefined };
    const points = starts.map((start, point) => ({ from: start, to: starts[point + 1] ?? to }));
    const uniques = await readKnownDays(tx, of, { points, classes });
    const left = points.filter((_, point) => !uniques.has(point));
    const [first, last] = [left[0], left.at(-1)];
    return { uniques, left: first && last && { from: first.from, to: last.to } };
  }
}

function noUniques({ uniques }: VisitsQuery): Partial<Uniques> {
  return { visitors: 0, ...(uniques === 'all' && { ips: 0 }) };
}
