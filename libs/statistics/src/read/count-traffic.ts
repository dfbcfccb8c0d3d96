import type { FiledVisits } from '@hopcount/archive';
import { noVisits, visitClassFromNumber, type VisitsByClass } from '@hopcount/contracts';
import { type InstantRange, toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { cutBuckets } from './cut-buckets.js';
import { rangeColumns } from './link-folds.js';

const COUNT_TRAFFIC = loadSql(import.meta.url, 'sql/count-traffic.sql');

/** Visits by point and by class: whole buckets, and where a limit cuts one in two the visits themselves. */
export async function countTraffic(
  tx: Transaction,
  range: InstantRange & { linkId: string },
  starts: readonly number[],
  sources: { fromLedger: readonly InstantRange[]; files: FiledVisits | undefined },
): Promise<{ points: number[]; byClass: VisitsByClass }> {
  const cut = cutBuckets(range, starts);
  const isInLedger = ({ from, to }: InstantRange) =>
    sources.fromLedger.some((hours) => from >= hours.from && to <= hours.to);
  const rows = await tx.query<{ point: number; class: number; visits: number }>(COUNT_TRAFFIC, [
    range.linkId,
    toIso(range.from),
    toIso(range.to),
    starts.map(toIso),
    cut.buckets.map(toIso),
    ...rangeColumns(cut.ranges.filter(isInLedger)),
  ]);
  const inFiles = cut.ranges.filter((edge) => !isInLedger(edge));
  rows.push(...((await sources.files?.countEdges(inFiles, starts)) ?? []));
  const points = new Array<number>(starts.length).fill(0);
  const byClass = noVisits();
  for (const row of rows) {
    points[row.point] = (points[row.point] ?? 0) + row.visits;
    byClass[visitClassFromNumber(row.class)] += row.visits;
  }
  return { points, byClass };
}
