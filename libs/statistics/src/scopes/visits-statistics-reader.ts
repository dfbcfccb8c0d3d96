import type { ArchiveReader, CountedBy, GroupedBy, Uniques, ValuePage, VisitFilter, VisitsOf } from '@hopcount/archive';
import { noVisits, visitClassFromNumber, type VisitsByClass } from '@hopcount/contracts';
import { countUncounted, type InstantRange, type PartitionProgress, readCheckpoints } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { readKeptFrom, Snapshots } from '../read/snapshot.js';
import { VISITS_AT_MOST, type VisitsAtMost } from './affordable.js';
import { readKnownDays } from './known-days.js';
import { LookedAt } from './looked-at.js';
import { unknownRuns } from './point-runs.js';
import { classesThrough } from './scope-traffic.js';
import { resolveScope, type StatisticsScope } from './statistics-scope.js';
import { type AskedUniques, type CountedFrom, VisitsInSnapshot } from './visits-in-snapshot.js';

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

/** Tests only. */
export interface VisitsStatisticsSettings {
  visitsAtMost?: VisitsAtMost;
  /** So many links stand in a statement as numbers; of more their table is asked. */
  linksNamed?: number;
}

const LINKS_NAMED = 1_000;

/**
 * Numbers of any scope over [from, to), with any filters, exact at every instant. All of an answer comes from one
 * snapshot. Visits that no filter but one of classes chooses are summed of 15-minute buckets (of a group as long as the
 * ledger has all of the range); all else is counted over visits: those of files where these hold what the buckets of all
 * links say, else those of the ledger.
 */
export class VisitsStatisticsReader {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'visits'>,
    private readonly settings: VisitsStatisticsSettings = {},
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
      const { linksNamed = LINKS_NAMED, visitsAtMost = VISITS_AT_MOST } = this.settings;
      const of = await resolveScope(tx, query, linksNamed);
      const looked = new LookedAt(tx, this.archive, of, visitsAtMost);
      const ask = (counted: CountedFrom) => answer(new VisitsInSnapshot(tx, { ...query, of }, looked, counted));
      const summed = await readSummed(tx, of, query, starts);
      await looked.expectAffordable(summed?.runs ?? [query]);
      const answered = await (summed === undefined ? looked.visits(query, (whole) => ask({ whole })) : ask(summed));
      return { ...answered, ...looked.state(summed?.known.size ?? 0), uncounted, checkpoints };
    });
  }
}

/** What is known without a look at any visit, and of which points visitors are left to be looked at; undefined: all is. */
async function readSummed(
  tx: Transaction,
  of: VisitsOf,
  { from, to, filters, uniques }: VisitsQuery,
  starts: readonly number[] | undefined,
): Promise<Exclude<CountedFrom, { whole: unknown }> | undefined> {
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

function noUniques({ uniques }: VisitsQuery): Partial<Uniques> {
  return { visitors: 0, ...(uniques === 'all' && { ips: 0 }) };
}
