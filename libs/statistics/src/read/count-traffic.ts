import { type FiledVisits, type PeriodSum, wholeHours } from '@hopcount/archive';
import { noVisits, visitClassFromNumber, type VisitsByClass } from '@hopcount/contracts';
import { type InstantRange, toIso } from '@hopcount/ledger';
import { loadPreparedSql, loadSql, type Transaction } from '@hopcount/postgres';

import { cutBuckets } from './cut-buckets.js';
import { rangeColumns } from './link-folds.js';

/** Planned for each link: those with many buckets are better off with another plan. */
const COUNT_TRAFFIC = loadSql(import.meta.url, 'sql/count-traffic.sql');
const COUNT_EDGES = loadPreparedSql(import.meta.url, 'sql/count-edges.sql');

interface PointVisits {
  point: number;
  class: number;
  visits: number;
}

type RangeOfLink = InstantRange & { linkId: string };

/** What the buckets of a link say. */
export interface Traffic {
  /** Of each day (UTC) of the whole hours that hold the range. */
  days: PeriodSum[];
  /** Of buckets that lie in the range as a whole. */
  points: PointVisits[];
  /** The rest of the range, to be counted visit by visit: where a limit cuts a bucket in two. */
  edges: InstantRange[];
}

export async function readTraffic(tx: Transaction, range: RangeOfLink, starts: readonly number[]): Promise<Traffic> {
  const { buckets, ranges: edges } = cutBuckets(range, starts);
  const hours = wholeHours(range);
  const instants = [hours.from, hours.to, range.from, range.to].map(toIso);
  const [row] = await tx.query<Pick<Traffic, 'days' | 'points'>>(COUNT_TRAFFIC, [
    range.linkId,
    ...instants,
    starts.map(toIso),
    buckets.map(toIso),
  ]);
  return { days: row?.days ?? [], points: row?.points ?? [], edges };
}

interface TrafficSources {
  traffic: Traffic;
  fromLedger: readonly InstantRange[];
}

/** Of edges that the ledger answers for. */
export async function countEdges(
  tx: Transaction,
  linkId: string,
  { starts, ...sources }: TrafficSources & { starts: readonly number[] },
): Promise<PointVisits[]> {
  const edges = edgesOf(sources, true);
  if (edges.length === 0) return [];
  return tx.query<PointVisits>(COUNT_EDGES, [linkId, ...rangeColumns(edges), starts.map(toIso)]);
}

function edgesOf({ traffic, fromLedger }: TrafficSources, areInLedger: boolean): InstantRange[] {
  const isInLedger = ({ from, to }: InstantRange) => fromLedger.some((hours) => from >= hours.from && to <= hours.to);
  return traffic.edges.filter((edge) => isInLedger(edge) === areInLedger);
}

/** Visits of the range by point and by class. @param edges what countEdges() says */
export async function countTraffic(
  starts: readonly number[],
  { edges, files, ...sources }: TrafficSources & { edges: readonly PointVisits[]; files: FiledVisits | undefined },
): Promise<{ points: number[]; byClass: VisitsByClass }> {
  const ofFiles = (await files?.countEdges(edgesOf(sources, false))) ?? [];
  const rows = [...sources.traffic.points, ...edges, ...ofFiles];
  const points = new Array<number>(starts.length).fill(0);
  const byClass = noVisits();
  for (const row of rows) {
    points[row.point] = (points[row.point] ?? 0) + row.visits;
    byClass[visitClassFromNumber(row.class)] += row.visits;
  }
  return { points, byClass };
}
