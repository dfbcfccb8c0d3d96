import type { ArchiveReader, LinkSources, Uniques } from '@hopcount/archive';
import { type Interval, type LinkStatistics, noVisits } from '@hopcount/contracts';
import { countUncounted, HOUR_MS, type InstantRange, type PartitionProgress, readCheckpoints } from '@hopcount/ledger';
import { type Database, together, type Transaction } from '@hopcount/postgres';

import { dayOf, seriesStarts } from '../range/intervals.js';
import { expectFewPoints } from '../range/statistics-range.js';
import { ZoneOffsets } from '../range/time-zone.js';
import { countEdges, countTraffic, readTraffic, type Traffic } from './count-traffic.js';
import { countDimensions, noDimensions, readKeptDimensions } from './link-dimensions.js';
import { type Comparison, exactnessOf, readDoubtedPart } from './exactness.js';
import { findValidFolds, foldsOf, type LinkFold } from './link-folds.js';
import { countPointUniques, countUniques, selectUniques } from './link-uniques.js';
import { planRange } from './plan-range.js';
import { Snapshots } from './snapshot.js';
import type { Asker } from './turns.js';

/** More are a sign that the archive is gone; the first ones say from when on. */
const UNKNOWN_RANGES = 100;
/** A late visit may be in any bucket, so both ends are those of the snapshot. */
const READ_BUCKETS = `SELECT min(bucket) AS "firstBucket", max(bucket) AS "lastBucket",
  (SELECT created_at FROM links WHERE id = $1) AS "createdAt" FROM link_traffic WHERE link_id = $1`;

/** Of all time: whole days of the zone, from that of the link's first visit to today, or to that of its last one. */
export type LinkStatisticsQuery = AskedOfLink & (InstantRange | { period: 'allTime' });

interface AskedOfLink {
  linkId: string;
  timeZone: string;
  interval: Interval;
  /** The API key that asks; null: nobody's. */
  keyId?: number | null;
  /** Read this group's checkpoints in the same snapshot, for describeFreshness(). */
  checkpointsOf?: { group: string; topic: string };
}

export interface LinkCounts extends Pick<
  LinkStatistics,
  'uncounted' | 'exact' | 'inexact' | 'totals' | 'series' | 'dimensions' | 'readFrom'
> {
  range: InstantRange;
  checkpoints: PartitionProgress[];
}

/**
 * The numbers of one link over [from, to) or of all time, exact at every instant and in every zone. All of them come from one
 * snapshot: visits from the 15-minute buckets; distinct visitors, IPs and dimensions from files where these hold
 * what the buckets say, else from hours folded by the commits and from the ledger.
 */
export class LinkStatisticsReader {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'link'>,
  ) {
    this.#snapshots = Snapshots.shared(database);
  }

  /** @throws AppError `too-many-questions`, `client-gone`; what the archive throws */
  async read({ gone, ...query }: LinkStatisticsQuery & Pick<Asker, 'gone'>): Promise<LinkCounts> {
    const asker = { keyId: query.keyId, gone, same: [this, JSON.stringify(query)] } as const;
    const mayLag = query.checkpointsOf !== undefined;
    return this.#snapshots.run((tx, signal) => this.#readInSnapshot(tx, query, signal), asker, { mayLag });
  }

  async #readInSnapshot(tx: Transaction, asked: LinkStatisticsQuery, signal: AbortSignal): Promise<LinkCounts> {
    const { checkpointsOf } = asked;
    const { range, since } =
      'period' in asked
        ? await readAllTime(tx, asked)
        : { range: { from: asked.from, to: asked.to }, since: asked.from };
    const known = { from: since, to: range.to };
    const query = { ...asked, ...range };
    const starts = seriesStarts(range, query.interval, query.timeZone);
    const reading = checkpointsOf && readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic);
    if (query.from >= query.to) return { ...nothing(), range, checkpoints: (await reading) ?? [] };
    const traffic = readTraffic(tx, query, starts);
    const doubted = readDoubtedPart(tx, known);
    // The newest hour is in no file.
    const folds = query.to > Date.now() - HOUR_MS ? findValidFolds(tx, query.linkId, query) : undefined;
    const days = async () => (await traffic).days;
    const [counts, uncounted, checkpoints = []] = await together([
      this.archive.link(tx, { ...query, starts, days, signal }, async (sources) =>
        count(tx, query, { ...sources, starts, traffic: await traffic, folds, doubted }),
      ),
      countUncounted(tx, known),
      reading,
      traffic,
      doubted,
      folds,
    ]);
    return { ...counts, range, uncounted, checkpoints };
  }
}

/**
 * @returns since: the link's creation, if that is earlier; sums that are in doubt may lack its first visits
 * @throws AppError `invalid-range`: the series would have too many points
 */
async function readAllTime(
  tx: Transaction,
  { linkId, interval, timeZone }: AskedOfLink,
): Promise<{ range: InstantRange; since: number }> {
  type Row = Record<'firstBucket' | 'lastBucket' | 'createdAt', Date | null>;
  const [row] = await tx.query<Row>(READ_BUCKETS, [linkId]);
  const now = Date.now();
  const { from } = dayOf(row?.firstBucket?.getTime() ?? now, timeZone);
  const { to } = dayOf(Math.max(now, row?.lastBucket?.getTime() ?? now), timeZone);
  expectFewPoints({ from, to }, interval, timeZone);
  return { range: { from, to }, since: Math.min(from, row?.createdAt?.getTime() ?? from) };
}

interface CountSources extends LinkSources {
  starts: number[];
  traffic: Traffic;
  /** Asked before; undefined: perhaps of no use. */
  folds: Promise<LinkFold[]> | undefined;
  doubted: Promise<InstantRange[]>;
}

async function count(tx: Transaction, query: AskedOfLink & InstantRange, sources: CountSources) {
  const { fromLedger, unknown, files, starts, traffic } = sources;
  const folds = fromLedger.length === 0 ? [] : await (sources.folds ?? findValidFolds(tx, query.linkId, query));
  const plan = planRange(fromLedger, folds);
  // What PostgreSQL knows comes together; files answer one question after the other.
  const [uniques, edges, kept] = await together([
    files === undefined
      ? ledgerUniques(tx, query.linkId, { fromLedger, folds, starts })
      : files.uniques(selectUniques(query.linkId, planRange(fromLedger, folds, starts), starts)),
    countEdges(tx, query.linkId, { traffic, fromLedger, starts }),
    readKeptDimensions(tx, query.linkId, plan),
  ]);
  const { points, byClass } = await countTraffic(starts, { traffic, edges, fromLedger, files });
  const visits = points.reduce((sum, count) => sum + count, 0);
  const offsets = new ZoneOffsets(query.timeZone);
  const archivedVisits = (await files?.count()) ?? 0;
  const foldedVisits = foldsOf(plan).reduce((sum, fold) => sum + fold.visits, 0);
  const dimensions = await countDimensions(kept, files);
  const { exact, inexact } = exactnessOf({
    unknown,
    doubted: await sources.doubted,
    isAttributed: true,
    compared: [compare(query, dimensions, visits)],
  });
  return {
    exact,
    inexact: inexact
      .slice(0, UNKNOWN_RANGES)
      .map(({ from, to }) => ({ startDate: offsets.format(from), endDate: offsets.format(to) })),
    totals: { visits, ...uniques.total, byClass },
    series: starts.map((start, point) => ({
      start: offsets.format(start),
      visits: points[point] ?? 0,
      ...(uniques.points.get(point) ?? { visitors: 0, ips: 0 }),
    })),
    dimensions,
    readFrom: {
      archivedVisits,
      hourFolds: foldsOf(plan).length,
      ledgerVisits: Math.max(0, visits - foldedVisits - archivedVisits),
    },
  };
}

/** Dimensions are counted over the visits, each of which has one value of each; the number of visits is that of the buckets. */
function compare({ from, to }: InstantRange, { device }: LinkStatistics['dimensions'], visits: number): Comparison {
  const counted = device.reduce((sum, value) => sum + value.visits, 0);
  return { range: { from, to }, rows: { visits: counted }, buckets: { visits } };
}

/** Without files PostgreSQL counts all of it. */
async function ledgerUniques(
  tx: Transaction,
  linkId: string,
  { fromLedger, folds, starts }: { fromLedger: InstantRange[]; folds: LinkFold[]; starts: number[] },
): Promise<{ total: Uniques; points: Map<number, Uniques> }> {
  const [total, points] = await together([
    countUniques(tx, linkId, planRange(fromLedger, folds)),
    starts.length === 1 ? undefined : countPointUniques(tx, linkId, planRange(fromLedger, folds, starts), starts),
  ]);
  return { total, points: points ?? new Map([[0, total]]) };
}

function nothing() {
  return {
    uncounted: 0,
    exact: true,
    inexact: [],
    totals: { visits: 0, visitors: 0, ips: 0, byClass: noVisits() },
    series: [],
    dimensions: noDimensions(),
    readFrom: { archivedVisits: 0, hourFolds: 0, ledgerVisits: 0 },
  };
}
