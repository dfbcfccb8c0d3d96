import {
  type ArchiveReader,
  EVERYBODY,
  type HostDimension,
  type HostParentDimension,
  type VisitFilter,
} from '@hopcount/archive';
import { HOST_KINDS, type HostKind, REST_HOST, visitClassFromNumber } from '@hopcount/contracts';
import {
  areHostSumsExact,
  bucketOf,
  countUncounted,
  type InstantRange,
  isBucketStart,
  nextBucketAt,
  readCheckpoints,
  toIso,
} from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { VISITS_AT_MOST, type VisitsAtMost, visitsWithin } from '../scopes/affordable.js';
import { LookedAt } from '../scopes/looked-at.js';
import { ScopeCounts } from '../scopes/scope-counts.js';
import type { AnswerState } from '../scopes/scope-questions.js';
import { type HostDataCentre, readDataCentres } from './data-centres.js';
import {
  type HostQuestion,
  HostQuestions,
  type HostQuestionsSettings,
  type HostSums,
  noHostSums,
} from './host-questions.js';

const COUNT_HOST = loadSql(import.meta.url, 'sql/count-host.sql');
const READ_HOST = loadSql(import.meta.url, 'sql/read-host.sql');
const COUNT_WINDOWS = loadSql(import.meta.url, 'sql/count-windows.sql');
const READ_RETENTION = 'SELECT kept_from AS kept, archived_from AS archived FROM ledger_retention';
/** Of visits; fed counts have none. */
const DIMENSIONS: Partial<Record<HostKind, { name: HostDimension; parent: HostParentDimension }>> = {
  target: { name: 'targetName', parent: 'targetParent' },
  referrer: { name: 'referrerName', parent: 'referrerParent' },
  short: { name: 'shortName', parent: 'shortParent' },
};

/** Each visit is looked at by point and by class. */
const LOOKS = 2;

interface HostSeriesQuery extends InstantRange, Pick<HostQuestion, 'kind' | 'scope'> {
  /** Labels reversed. */
  names: readonly string[];
  /** Of the points, ascending, the first one the range's own. */
  starts: readonly number[];
  /** Read this group's checkpoints in the same snapshot, for describeFreshness(). */
  checkpointsOf?: { group: string; topic: string } | undefined;
  /** Also the last five minutes, for which what all hosts had in them is gone through. */
  withWindows?: boolean;
  /** Also what of all time each data centre counted. */
  withDataCentres?: boolean;
  keyId?: number | null;
}

export interface HostSeriesRow extends Omit<HostRow, 'place'> {
  name: string;
  totals: HostSums;
  /** Of all data centres; all else is of this one. */
  allTime: HostSums;
  /** [] where there is one, or they were not asked for. */
  dataCentres: HostDataCentre[];
  /** Of the last five minutes; null: not asked for. */
  window: number | null;
  points: number[];
}

interface HostRow {
  /** The name it counts at. */
  place: string;
  /** One label below it, counted apart. */
  children: number;
  /** Some of it, or all, counts elsewhere. */
  lumped: boolean;
}

interface HostCountRow {
  /** null: of all time. */
  point: number | null;
  class: number;
  visits: number;
}

interface Asked extends HostSeriesQuery {
  tx: Transaction;
  looked: LookedAt;
  /** Before it nobody has visits any more, and only files before `keptFrom`. */
  archivedFrom: number;
  keptFrom: number;
  /** Visits that the ledger has of the range: sums of them are compared with them. */
  areFew: boolean;
}

/** Where its numbers of the range come from. */
interface HostPlan {
  name: string;
  host: HostRow;
  summed: InstantRange[];
  /** Looked at visit by visit. */
  visits: InstantRange[];
}

/**
 * Visits of hosts over [from, to), exact at every instant, all of an answer from one snapshot. What the ledger has is summed of quarters
 * of an hour; the quarters that the range cuts, what the ledger has dropped, and a name that has no numbers of its own are looked at
 * visit by visit: those of files where these hold what was counted. Fed counts have quarters alone.
 */
export class HostSeries {
  readonly #questions: HostQuestions;
  /** Looks at visits, of all names together. */
  readonly #atMost: VisitsAtMost;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'visits' | 'unknown'>,
    settings: HostQuestionsSettings & {
      /** Tests only. */
      visitsAtMost?: VisitsAtMost;
    } = {},
  ) {
    const { timeoutMs } = settings;
    // What cannot be answered in time is refused for good: who asked it again would wait in vain each time.
    this.#atMost = settings.visitsAtMost ?? (timeoutMs === undefined ? VISITS_AT_MOST : visitsWithin(timeoutMs));
    this.#questions = new HostQuestions(database, settings);
  }

  /** @throws AppError `invalid-range`: fed counts are kept by quarters; `question-too-expensive`; and what HostQuestions throws */
  read(query: HostSeriesQuery): Promise<AnswerState & { asOf: Date; hosts: HostSeriesRow[] }> {
    const { kind, names, scope, checkpointsOf, withWindows = false, keyId = null } = query;
    if (names.some((name) => isSummedOnly(kind, name))) expectWholeBuckets(query);
    return this.#questions.ask({ kind, below: scope === 'self' ? [] : names, keyId }, async (tx, signal) => {
      const checkpoints = checkpointsOf ? await readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic) : [];
      const uncounted = query.from < query.to ? await countUncounted(tx, query) : 0;
      const looked = new LookedAt(tx, this.archive, EVERYBODY, this.#atMost, { looks: LOOKS, signal });
      const retention = await readRetention(tx);
      const inLedger = { from: nextBucketAt(Math.max(query.from, retention.keptFrom)), to: bucketOf(query.to) };
      const areFew = kind !== 'fed' && inLedger.from < inLedger.to && (await looked.hasFewVisits(inLedger));
      const asked = { ...query, tx, looked, ...retention, areFew };
      const questioned = [HOST_KINDS.indexOf(kind), names, scope];
      const windows = withWindows ? await tx.query<{ visits: number }>(COUNT_WINDOWS, questioned) : [];
      const [moment] = await tx.query<{ asOf: Date }>('SELECT now() AS "asOf"');
      const plans: HostPlan[] = [];
      for (const name of names) plans.push(await planName(asked, name));
      await looked.expectAffordable(plans.flatMap(({ visits }) => visits));
      const hosts: HostSeriesRow[] = [];
      for (const [nth, plan] of plans.entries()) hosts.push(await readName(asked, plan, windows[nth]?.visits ?? null));
      // Sums of what the ledger dropped: whether the visits behind them are still there.
      const summedTo = Math.max(...plans.flatMap(({ summed }) => summed).map(({ to }) => Math.min(to, asked.keptFrom)));
      if (kind !== 'fed' && summedTo > query.from) await looked.judge({ from: query.from, to: summedTo });
      await looked.judgeDoubted(query);
      const isAttributed = await areHostSumsExact(tx);
      return { hosts, asOf: moment!.asOf, ...looked.state(), isAttributed, uncounted, checkpoints };
    });
  }
}

async function planName(asked: Asked, name: string): Promise<HostPlan> {
  const host = await readHost(asked.tx, asked.kind, name);
  const summed = summedRanges(asked, name, host.place);
  return { name, host, summed, visits: between(asked, summed) };
}

async function readName(
  asked: Asked,
  { name, host: { children, lumped }, summed, visits: looked }: HostPlan,
  window: number | null,
): Promise<HostSeriesRow> {
  const { tx, kind, scope, starts, from, keptFrom } = asked;
  const row: HostSeriesRow = {
    ...{ name, children, lumped, window, dataCentres: [] },
    ...noCounts(starts.length),
  };
  // Where a visit says that it counts there.
  const isCompared = asked.areFew && !lumped && !isSummedOnly(kind, name);
  // Once at least: sums of all time come along.
  for (const [nth, range] of (summed.length > 0 ? summed : [{ from, to: from }]).entries()) {
    const span = [toIso(range.from), toIso(range.to), starts.map(toIso)];
    const counted = await tx.query<HostCountRow>(COUNT_HOST, [HOST_KINDS.indexOf(kind), name, scope, ...span]);
    for (const { point, class: visitClass, visits } of counted) {
      if (point !== null) row.points[point]! += visits;
      if (point !== null || nth === 0) add(point === null ? row.allTime : row.totals, visitClass, visits);
    }
    const sums = counted.filter(({ point }) => point !== null);
    if (isCompared && range.from < range.to && range.from >= keptFrom)
      await compareWithVisits(asked, name, range, sums);
  }
  for (const range of looked) await addVisits(asked, range, row);
  if (asked.withDataCentres === true) row.dataCentres = await readDataCentres(tx, { kind, name, scope }, row.allTime);
  return row;
}

/** Whole quarters of which sums are taken: what the ledger has, and what not even files have any more. */
function summedRanges({ kind, archivedFrom, keptFrom, from, to }: Asked, name: string, place: string): InstantRange[] {
  if (isSummedOnly(kind, name)) return [{ from, to }];
  if (place !== name) return [];
  return [
    { from, to: Math.min(to, archivedFrom) },
    { from: Math.max(from, keptFrom), to },
  ]
    .map((range) => ({ from: nextBucketAt(range.from), to: bucketOf(range.to) }))
    .filter((range) => range.from < range.to);
}

/** What is left of a range without some, which are apart and ascending. */
function between({ from, to }: InstantRange, without: readonly InstantRange[]): InstantRange[] {
  const starts = [from, ...without.map((range) => range.to)];
  const ends = [...without.map((range) => range.from), to];
  return starts.map((start, nth) => ({ from: start, to: ends[nth]! })).filter((range) => range.from < range.to);
}

async function readRetention(tx: Transaction): Promise<{ archivedFrom: number; keptFrom: number }> {
  const [row] = await tx.query<{ kept: Date; archived: Date | null }>(READ_RETENTION);
  const ever = Number.NEGATIVE_INFINITY;
  return { archivedFrom: row?.archived?.getTime() ?? ever, keptFrom: row?.kept.getTime() ?? ever };
}

async function readHost(tx: Transaction, kind: HostKind, name: string): Promise<HostRow> {
  const [found] = await tx.query<HostRow>(READ_HOST, [HOST_KINDS.indexOf(kind), name]);
  if (found === undefined) throw new Error('a statement without FROM answers one row');
  return found;
}

/** Class by class and point by point, so that no answer made of wrong sums is exact. */
async function compareWithVisits(asked: Asked, name: string, range: InstantRange, sums: readonly HostCountRow[]) {
  const { tx, looked, starts } = asked;
  const counts = new ScopeCounts(tx, EVERYBODY, { fromLedger: [range], unknown: [], files: undefined });
  const compare = (counted: ReadonlyMap<string, number>, keyOf: (row: HostCountRow) => number | null) => {
    const summed = new Map<string, number>();
    for (const row of sums) {
      const key = String(keyOf(row));
      summed.set(key, (summed.get(key) ?? 0) + row.visits);
    }
    for (const key of new Set([...counted.keys(), ...summed.keys()]))
      looked.compare({ range, rows: { visits: counted.get(key) ?? 0 }, buckets: { visits: summed.get(key) ?? 0 } });
  };
  const filters = [filterOf(asked, name)];
  compare(await counts.counts({ by: 'class' }, filters), (row) => row.class);
  compare(await counts.counts({ by: 'point', starts }, filters), (row) => row.point);
}

function filterOf({ kind, scope }: Asked, name: string): VisitFilter {
  const dimensions = DIMENSIONS[kind];
  if (dimensions === undefined) throw new RangeError('fed counts have no visits');
  return {
    dimension: scope === 'children' ? dimensions.parent : dimensions.name,
    values: scope === 'below' ? [] : [name],
    prefixes: scope === 'below' || scope === 'subtree' ? [`${name}.`] : [],
    isExcluded: false,
  };
}

async function addVisits(asked: Asked, range: InstantRange, row: HostSeriesRow) {
  const { looked, starts } = asked;
  const filter = filterOf(asked, row.name);
  const [points, classes] = await looked.visits(range, async (counts) => [
    await counts.counts({ by: 'point', starts }, [filter]),
    await counts.counts({ by: 'class' }, [filter]),
  ]);
  for (const [point, visits] of points) row.points[Number(point)]! += visits;
  for (const [visitClass, visits] of classes) add(row.totals, Number(visitClass), visits);
}

/** A visit does not say that it counts there. */
function isSummedOnly(kind: HostKind, name: string): boolean {
  return kind === 'fed' || name === REST_HOST || name.endsWith(`.${REST_HOST}`);
}

function noCounts(points: number) {
  return { totals: noHostSums(), allTime: noHostSums(), points: new Array<number>(points).fill(0) };
}

/** @throws AppError `invalid-range` */
function expectWholeBuckets({ from, to }: InstantRange): void {
  const invalidElements = [...(isBucketStart(from) ? [] : ['startDate']), ...(isBucketStart(to) ? [] : ['endDate'])];
  if (invalidElements.length === 0) return;
  throw new AppError('invalid-range', 'These are kept by quarters of an hour: begin and end with one.', {
    details: { invalidElements },
  });
}

function add(sums: HostSums, visitClass: number, visits: number): void {
  sums.visits += visits;
  sums.byClass[visitClassFromNumber(visitClass)] += visits;
}
