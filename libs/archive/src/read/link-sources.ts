import { DAY_MS, HOUR_MS, type InstantRange } from '@hopcount/ledger';
import { prepared, type Transaction } from '@hopcount/postgres';

import { withCopy } from '../duckdb/copy-out.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import type { WorkFolder } from '../files/work-folder.js';
import { ArchivedLink, type LinkFile, type LinkRange, type LinkToLoad, wholeHours } from './archived-link.js';
import { clip } from './clip.js';
import type { SeriesUniques } from './count-uniques.js';
import { differingSpan, type Judgement, judgeSums, type PeriodSum } from './judge-sums.js';
import { readSums } from './read-sums.js';

const READ_BOUNDS = prepared(
  'bounds',
  `SELECT (SELECT kept_from FROM ledger_retention) AS kept_from,
  (SELECT purged_before FROM links WHERE id = $1) AS purged_before`,
);

/** A question about a link in a range. */
export interface LinkQuestion extends LinkRange {
  /** Of the series' points, ascending. */
  starts: readonly number[];
  /**
   * What its buckets say, in the same snapshot, of each day (UTC) of the whole hours that hold the range; ascending. Asked for
   * while files are read.
   */
  days: () => Promise<readonly PeriodSum[]>;
  /** Aborted, files are read no more. */
  signal?: AbortSignal | undefined;
}

/** What answers a question about a link in a range. */
export interface LinkSources extends Omit<Judgement, 'notFromFiles'> {
  /** undefined: no file has a visit of it. */
  files: FiledVisits | undefined;
}

export type FiledVisits = Pick<ArchivedLink, 'count' | 'countEdges' | 'dimensions'> & {
  /** `rest`: a SELECT of point, visitor and ip of what the files do not answer, in PostgreSQL's words. */
  uniques(rest: string | undefined): Promise<SeriesUniques>;
};

type Days = Promise<readonly PeriodSum[]>;

/** What is known of a link in a range without looking at a visit. */
export interface Kept {
  /** Whole hours that hold the range. */
  hours: InstantRange;
  keptFrom: number;
  purgedBefore: number | undefined;
}

export async function readKept(tx: Transaction, range: LinkQuestion): Promise<Kept> {
  const [row] = await tx.query<{ kept_from: Date | null; purged_before: Date | null }>(READ_BOUNDS, [range.linkId]);
  return {
    hours: wholeHours(range),
    keptFrom: row?.kept_from?.getTime() ?? Number.NEGATIVE_INFINITY,
    purgedBefore: row?.purged_before?.getTime(),
  };
}

/** Days first: where those agree, so do their hours. */
async function judge(
  tx: Transaction,
  range: LinkRange,
  { kept, days, link }: { kept: Kept; days: Days; link: ArchivedLink },
): Promise<Judgement> {
  const span = differingSpan(await days, await link.days(kept.hours), DAY_MS);
  if (span === undefined) return { fromLedger: [], notFromFiles: [], unknown: [] };
  await link.readRowsOf(span);
  const hours = { from: Math.max(span.from, kept.hours.from), to: Math.min(span.to, kept.hours.to) };
  const sums = await readSums(tx, { linkId: range.linkId, ...hours }, '1 hour');
  const filed = await link.hours(hours);
  return judgeSums(sums, filed, { keptFrom: kept.keptFrom, periodMs: HOUR_MS });
}

export async function linkFromFiles<T>(
  tx: Transaction,
  session: DuckSession,
  {
    range,
    kept,
    days,
    usable,
    work,
    ...load
  }: {
    range: LinkQuestion;
    kept: Kept;
    days: Days;
    usable: readonly LinkFile[];
    work: WorkFolder;
  } & Pick<LinkToLoad, 'summaries' | 'idsAtOnce'>,
  answer: (sources: LinkSources) => Promise<T>,
): Promise<T> {
  const link = await ArchivedLink.load(session, range, usable, { ...kept, starts: range.starts, ...load });
  try {
    const { notFromFiles, ...hours } = await judge(tx, range, { kept, days, link });
    await link.leaveOut(notFromFiles);
    const files: FiledVisits = {
      count: () => link.count(),
      countEdges: (ranges) => link.countEdges(ranges),
      dimensions: () => link.dimensions(),
      uniques: (rest) =>
        rest === undefined
          ? link.uniques(undefined)
          : withCopy(tx, rest, { folder: work, signal: session.signal }, (path, rows) => link.uniques({ path, rows })),
    };
    return await answer({ ...clipped(hours, range), files });
  } finally {
    // What is read ahead must have ended before the files may go.
    await link.ended();
  }
}

/** What is left to ask where no file can be read. */
export async function linkFromLedger(range: LinkRange, { keptFrom }: Kept, days: Days): Promise<LinkSources> {
  return { ...clipped(judgeSums(await days, [], { keptFrom, periodMs: DAY_MS }), range), files: undefined };
}

function clipped({ fromLedger, unknown }: Omit<Judgement, 'notFromFiles'>, within: InstantRange) {
  return { fromLedger: clip(fromLedger, within), unknown: clip(unknown, within) };
}
