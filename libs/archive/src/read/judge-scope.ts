import { HOUR_MS, type InstantRange, toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { joinPeriods } from './judge-sums.js';
import type { ScopedVisits } from './scoped-visits.js';
import type { FileHours } from './visit-conditions.js';
import { EVERYBODY, readHours, type VisitsOf } from './visits-of.js';

const DIFFERING_HOURS = loadSql(import.meta.url, 'sql/differing-hours.sql');

/** Where the visits of a scope in a range of whole hours are to be read. */
export interface ScopeJudgement {
  fromLedger: InstantRange[];
  /** The ledger is gone, and files hold something else than the buckets of the scope say. */
  unknown: InstantRange[];
  inFiles: FileHours;
}

interface Differing {
  hours: number[];
  /** Those of which files hold something. */
  filed: number[];
}

/**
 * Files hold what the buckets say of every link where number and checksum of all their visits, as the manifest has them
 * of each file and hour, are those of all links' buckets: then no visit has to be looked at to know it. Where they
 * differ (late visits, purges, a file that is missing) the visits of the scope itself are held against its own buckets,
 * without those that were purged. Of a group, whose buckets may be wrong where the ledger is gone (nobody knew the group of
 * what was purged there), those of all links will do: where they agree, every visit is known.
 */
export async function judgeScope(
  tx: Transaction,
  visits: ScopedVisits,
  {
    of,
    hours,
    keptFrom,
    fileIds,
    loadPurges,
  }: {
    of: VisitsOf;
    hours: InstantRange;
    keptFrom: number;
    fileIds: readonly string[];
    /** Those of links of which visits after an instant were purged; answers how many links. */
    loadPurges: (after: number) => Promise<number>;
  },
): Promise<ScopeJudgement> {
  const differing = await readDiffering(tx, hours, fileIds);
  const [first] = differing.hours;
  if (first === undefined) return { fromLedger: [], unknown: [], inFiles: { marked: [], leftOut: [] } };
  const purges = await loadPurges(first);
  const isKept = (hour: number) => hour >= keptFrom;
  const dropped = differing.hours.filter((hour) => !isKept(hour));
  // Without a purge, what the ledger has is read from there at once.
  const looked = purges > 0 ? differing.filed : differing.filed.filter((hour) => !isKept(hour));
  const asked = [...new Set([...looked, ...dropped])];
  const agreeing = await compare(tx, visits, of, { looked, asked });
  const doubted = of.groupId === undefined ? [] : dropped.filter((hour) => !agreeing(hour));
  const filedWhole = await compare(tx, visits, EVERYBODY, { looked: doubted, asked: doubted });
  const marked: number[] = [];
  const fromLedger: number[] = [];
  const unknown: number[] = [];
  for (const hour of differing.hours) {
    if (agreeing(hour) || filedWhole(hour)) marked.push(hour);
    else if (isKept(hour)) fromLedger.push(hour);
    else unknown.push(hour);
  }
  const filed = new Set(differing.filed);
  return {
    fromLedger: joinPeriods(fromLedger, HOUR_MS),
    unknown: joinPeriods(unknown, HOUR_MS),
    inFiles: {
      marked: [...marked, ...unknown].filter((hour) => filed.has(hour)),
      leftOut: fromLedger.filter((hour) => filed.has(hour)),
    },
  };
}

/** Without files: all that the ledger kept comes from there, and before that it is known only where there is nothing. */
export async function judgeWithoutFiles(
  tx: Transaction,
  { of, hours, keptFrom }: { of: VisitsOf; hours: InstantRange; keptFrom: number },
): Promise<Omit<ScopeJudgement, 'inFiles'>> {
  const ledger = { from: Math.max(hours.from, keptFrom), to: hours.to };
  const before = { from: hours.from, to: Math.min(hours.to, keptFrom) };
  const lost = before.from >= before.to ? [] : await readHours(tx, of, before);
  return {
    fromLedger: ledger.from >= ledger.to ? [] : [ledger],
    unknown: joinPeriods(
      lost.map(({ start }) => start),
      HOUR_MS,
    ),
  };
}

/** @param ids of files */
export async function readDiffering(
  tx: Transaction,
  { from, to }: InstantRange,
  ids: readonly string[],
): Promise<Differing> {
  const [row] = await tx.query<{ hours: number[]; filed: boolean[] }>(DIFFERING_HOURS, [toIso(from), toIso(to), ids]);
  const hours = row?.hours ?? [];
  return { hours, filed: hours.filter((_, nth) => row?.filed[nth] === true) };
}

/** @returns whether the files' visits of the scope, without purged ones, are what its buckets say in the hour */
async function compare(
  tx: Transaction,
  visits: ScopedVisits,
  of: VisitsOf,
  { looked, asked }: { looked: readonly number[]; asked: readonly number[] },
): Promise<(hour: number) => boolean> {
  if (asked.length === 0) return () => false;
  const span = { from: Math.min(...asked), to: Math.max(...asked) + HOUR_MS };
  const kept = new Map((await readHours(tx, of, span)).map((sum) => [sum.start, sum]));
  const filed = new Map((looked.length === 0 ? [] : await visits.sums(of, looked)).map((sum) => [sum.start, sum]));
  const known = new Set(asked);
  return (hour) => {
    if (!known.has(hour)) return false;
    const [bucket, file] = [kept.get(hour), filed.get(hour)];
    return (bucket?.visits ?? 0) === (file?.visits ?? 0) && (bucket?.checksum ?? '0') === (file?.checksum ?? '0');
  };
}
