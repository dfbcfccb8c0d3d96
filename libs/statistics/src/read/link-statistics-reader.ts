import type { ArchiveReader, LinkSources, Uniques } from '@hopcount/archive';
import { type Interval, type LinkStatistics, noVisits } from '@hopcount/contracts';
import { countUncounted, type InstantRange, type PartitionProgress, readCheckpoints } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';

import { seriesStarts } from '../range/intervals.js';
import { ZoneOffsets } from '../range/time-zone.js';
import { countTraffic, readTraffic, type Traffic } from './count-traffic.js';
import { countDimensions, noDimensions } from './link-dimensions.js';
import { type Comparison, exactnessOf, readDoubtedPart } from './exactness.js';
import { findValidFolds, foldsOf, type LinkFold } from './link-folds.js';
import { countPointUniques, countUniques, selectUniques } from './link-uniques.js';
import { planRange } from './plan-range.js';
import { Snapshots } from './snapshot.js';
import type { Asker } from './turns.js';

/** More are a sign that the archive is gone; the first ones say from when on. */
const UNKNOWN_RANGES = 100;

export interface LinkStatisticsQuery extends InstantRange {
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
  checkpoints: PartitionProgress[];
}

/**
 * The numbers of one link over [from, to), exact at every instant and in every zone. All of them come from one
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

  async #readInSnapshot(tx: Transaction, query: LinkStatisticsQuery, signal: AbortSignal): Promise<LinkCounts> {
    const { checkpointsOf } = query;
    const checkpoints = checkpointsOf ? await readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic) : [];
    if (query.from >= query.to) return { ...nothing(), checkpoints };
    const starts = seriesStarts(query, query.interval, query.timeZone);
    let reading: Promise<Traffic> | undefined;
    const traffic = () => (reading ??= readTraffic(tx, query, starts));
    const days = async () => (await traffic()).days;
    const counts = await this.archive.link(tx, { ...query, starts, days, signal }, async (sources) =>
      count(tx, query, { ...sources, starts, traffic: await traffic() }),
    );
    return { ...counts, uncounted: await countUncounted(tx, query), checkpoints };
  }
}

async function count(
  tx: Transaction,
  query: LinkStatisticsQuery,
  sources: LinkSources & { starts: number[]; traffic: Traffic },
) {
  const { fromLedger, unknown, files, starts } = sources;
  const folds = fromLedger.length === 0 ? [] : await findValidFolds(tx, query.linkId, query);
  const plan = planRange(fromLedger, folds);
  const { points, byClass } = await countTraffic(tx, query, starts, sources);
  const visits = points.reduce((sum, count) => sum + count, 0);
  const uniques = await (files === undefined
    ? ledgerUniques(tx, query.linkId, { fromLedger, folds, starts })
    : files.uniques(selectUniques(query.linkId, planRange(fromLedger, folds, starts), starts)));
  const offsets = new ZoneOffsets(query.timeZone);
  const archivedVisits = (await files?.count()) ?? 0;
  const foldedVisits = foldsOf(plan).reduce((sum, fold) => sum + fold.visits, 0);
  const dimensions = await countDimensions(tx, query.linkId, plan, files);
  const { exact, inexact } = exactnessOf({
    unknown,
    doubted: await readDoubtedPart(tx, query),
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
  const total = await countUniques(tx, linkId, planRange(fromLedger, folds));
  if (starts.length === 1) return { total, points: new Map([[0, total]]) };
  return { total, points: await countPointUniques(tx, linkId, planRange(fromLedger, folds, starts), starts) };
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
