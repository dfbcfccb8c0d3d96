import {
  type Dimension,
  DIMENSIONS,
  type Interval,
  type LinkStatistics,
  noVisits,
  visitClassFromNumber,
} from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { seriesStarts } from '../range/intervals.js';
import { ZoneOffsets } from '../range/time-zone.js';
import { type InstantRange, type PartitionProgress, countUncounted, readCheckpoints, toIso } from '@hopcount/ledger';
import { cutBuckets } from './cut-buckets.js';
import { ledgerRanges, type Piece, planRange, type ValidFold } from './plan-range.js';

/** Compiling a plan costs more than these statements take; a sort or hash of 100,000 ids fits in 32 MB. */
const USE_SNAPSHOT = "SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true)";
const VALID_FOLDS = loadSql(import.meta.url, 'sql/valid-folds.sql');
const COUNT_TRAFFIC = loadSql(import.meta.url, 'sql/count-traffic.sql');
const COUNT_UNIQUES = loadSql(import.meta.url, 'sql/count-uniques.sql');
const COUNT_POINT_UNIQUES = loadSql(import.meta.url, 'sql/count-point-uniques.sql');
const COUNT_DIMENSIONS = loadSql(import.meta.url, 'sql/count-dimensions.sql');

export interface LinkStatisticsQuery extends InstantRange {
  linkId: string;
  timeZone: string;
  interval: Interval;
  /** Read this group's checkpoints in the same snapshot, for describeFreshness(). */
  checkpointsOf?: { group: string; topic: string };
}

export interface LinkCounts extends Pick<
  LinkStatistics,
  'uncounted' | 'totals' | 'series' | 'dimensions' | 'readFrom'
> {
  checkpoints: PartitionProgress[];
}

interface FoldRow extends ValidFold {
  visits: number;
  /** null: commits added to the fold, so that its sets must be counted. */
  sizes: Uniques | null;
}

interface Uniques {
  visitors: number;
  ips: number;
}

/**
 * The numbers of one link over [from, to), exact at every instant and in every zone. All of them come
 * from one snapshot: visits from the 15-minute buckets, and from the ledger where a limit cuts a bucket
 * in two; distinct visitors, IPs and dimensions from the valid folds that fit and the ledger between.
 */
export class LinkStatisticsReader {
  constructor(private readonly database: Database) {}

  async read(query: LinkStatisticsQuery): Promise<LinkCounts> {
    return this.database.transaction((tx) => readInSnapshot(tx, query), {
      isolation: 'REPEATABLE READ',
      readOnly: true,
    });
  }
}

async function readInSnapshot(tx: Transaction, query: LinkStatisticsQuery): Promise<LinkCounts> {
  await tx.query(USE_SNAPSHOT);
  const { checkpointsOf } = query;
  const checkpoints = checkpointsOf ? await readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic) : [];
  if (query.from >= query.to) return { ...nothing(), checkpoints };
  const starts = seriesStarts(query, query.interval, query.timeZone);
  const folds = await findValidFolds(tx, query);
  const plan = planRange(query, folds);
  const { points, byClass } = await countTraffic(tx, query, starts);
  const visits = points.reduce((sum, count) => sum + count, 0);
  const uniques = await countUniques(tx, query.linkId, plan);
  const pointUniques =
    starts.length === 1
      ? new Map([[0, uniques]])
      : await countPointUniques(tx, query.linkId, planRange(query, folds, starts), starts);
  const offsets = new ZoneOffsets(query.timeZone);
  return {
    checkpoints,
    uncounted: await countUncounted(tx, query),
    totals: { visits, ...uniques, byClass },
    series: starts.map((start, point) => ({
      start: offsets.format(start),
      visits: points[point] ?? 0,
      ...(pointUniques.get(point) ?? { visitors: 0, ips: 0 }),
    })),
    dimensions: await countDimensions(tx, query.linkId, plan),
    readFrom: describePlan(plan, visits),
  };
}

async function findValidFolds(tx: Transaction, query: LinkStatisticsQuery): Promise<FoldRow[]> {
  const rows = await tx.query<{
    unit: 'hour' | 'day';
    unit_start: Date;
    unit_end: Date;
    visits: string;
    visitors: number | null;
    ips: number | null;
  }>(VALID_FOLDS, [query.linkId, toIso(query.from), toIso(query.to)]);
  return rows.map((row) => ({
    unit: row.unit,
    from: row.unit_start.getTime(),
    // Nothing of it is after the end of the range, see valid-folds.sql.
    to: Math.min(row.unit_end.getTime(), query.to),
    visits: Number(row.visits),
    sizes: row.visitors === null || row.ips === null ? null : { visitors: row.visitors, ips: row.ips },
  }));
}

async function countTraffic(tx: Transaction, query: LinkStatisticsQuery, starts: readonly number[]) {
  const cut = cutBuckets(query, starts);
  const rows = await tx.query<{ point: number; class: number; visits: number }>(COUNT_TRAFFIC, [
    query.linkId,
    toIso(query.from),
    toIso(query.to),
    starts.map(toIso),
    cut.buckets.map(toIso),
    ...rangeColumns(cut.ranges),
  ]);
  const points = new Array<number>(starts.length).fill(0);
  const byClass = noVisits();
  for (const row of rows) {
    points[row.point] = (points[row.point] ?? 0) + row.visits;
    byClass[visitClassFromNumber(row.class)] += row.visits;
  }
  return { points, byClass };
}

async function countUniques(tx: Transaction, linkId: string, plan: readonly Piece<FoldRow>[]): Promise<Uniques> {
  const [only] = plan;
  if (plan.length === 1 && only?.from === 'fold' && only.fold.sizes !== null) return only.fold.sizes;
  const rows = await tx.query<Uniques>(COUNT_UNIQUES, [linkId, ...foldStarts(plan), ...ledgerColumns(plan)]);
  return rows[0] ?? { visitors: 0, ips: 0 };
}

/** A point that is one fold needs no set if its sizes came with the fold. Only the others are counted. */
async function countPointUniques(
  tx: Transaction,
  linkId: string,
  plan: readonly Piece<FoldRow>[],
  starts: readonly number[],
): Promise<Map<number, Uniques>> {
  const result = new Map<number, Uniques>();
  const mixed: Piece<FoldRow>[] = [];
  const foldPoints: number[] = [];
  for (const [point, pieces] of piecesByPoint(plan, starts)) {
    const [first] = pieces;
    if (pieces.length === 1 && first?.from === 'fold' && first.fold.sizes !== null) {
      result.set(point, first.fold.sizes);
      continue;
    }
    for (const piece of pieces) {
      mixed.push(piece);
      if (piece.from === 'fold') foldPoints.push(point);
    }
  }
  if (mixed.length === 0) return result;
  const rows = await tx.query<{ point: number } & Uniques>(COUNT_POINT_UNIQUES, [
    linkId,
    ...foldColumns(mixed),
    foldPoints,
    ...ledgerColumns(mixed),
    starts.map(toIso),
  ]);
  for (const { point, visitors, ips } of rows) result.set(point, { visitors, ips });
  return result;
}

/** Both ascending, and no piece straddles a start. */
function piecesByPoint(plan: readonly Piece<FoldRow>[], starts: readonly number[]): Map<number, Piece<FoldRow>[]> {
  const pieces = new Map<number, Piece<FoldRow>[]>();
  let point = 0;
  for (const piece of plan) {
    while ((starts[point + 1] ?? Infinity) <= piece.range.from) point += 1;
    const siblings = pieces.get(point);
    if (siblings === undefined) pieces.set(point, [piece]);
    else siblings.push(piece);
  }
  return pieces;
}

async function countDimensions(tx: Transaction, linkId: string, plan: readonly Piece<FoldRow>[]) {
  const dimensions = noDimensions();
  const rows = await tx.query<{ dimension: Dimension; values: string[]; visits: number[] }>(COUNT_DIMENSIONS, [
    linkId,
    ...foldStarts(plan),
    ...ledgerColumns(plan),
  ]);
  for (const { dimension, values, visits } of rows) {
    dimensions[dimension] = values.map((value, index) => ({ value, visits: visits[index] ?? 0 }));
  }
  return dimensions;
}

function describePlan(plan: readonly Piece<FoldRow>[], visits: number): LinkCounts['readFrom'] {
  let foldedVisits = 0;
  const count = { day: 0, hour: 0 };
  for (const piece of plan) {
    if (piece.from === 'ledger') continue;
    count[piece.fold.unit] += 1;
    foldedVisits += piece.fold.visits;
  }
  return { dayFolds: count.day, hourFolds: count.hour, ledgerVisits: visits - foldedVisits };
}

function foldColumns(plan: readonly Piece<FoldRow>[]): [string[], string[]] {
  const folds = plan.flatMap((piece) => (piece.from === 'fold' ? [piece.fold] : []));
  return [folds.map((fold) => fold.unit), folds.map((fold) => toIso(fold.from))];
}

/** Starts of the day folds, and of the hour folds. */
function foldStarts(plan: readonly Piece<FoldRow>[]): [string[], string[]] {
  const starts = { day: [] as string[], hour: [] as string[] };
  for (const piece of plan) if (piece.from === 'fold') starts[piece.fold.unit].push(toIso(piece.fold.from));
  return [starts.day, starts.hour];
}

function ledgerColumns(plan: readonly Piece[]): [string[], string[]] {
  return rangeColumns(ledgerRanges(plan));
}

function rangeColumns(ranges: readonly InstantRange[]): [string[], string[]] {
  return [ranges.map((range) => toIso(range.from)), ranges.map((range) => toIso(range.to))];
}

function noDimensions(): LinkStatistics['dimensions'] {
  return Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, []])) as unknown as LinkStatistics['dimensions'];
}

function nothing() {
  return {
    uncounted: 0,
    totals: { visits: 0, visitors: 0, ips: 0, byClass: noVisits() },
    series: [],
    dimensions: noDimensions(),
    readFrom: { dayFolds: 0, hourFolds: 0, ledgerVisits: 0 },
  };
}
