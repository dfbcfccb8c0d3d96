import { EVERYBODY, type VisitsOf } from '@hopcount/archive';
import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { countBuckets } from './scope-traffic.js';

/** Visits that one question may look at. */
export interface VisitsAtMost {
  /** Wherever they are. */
  files: number;
  /** Of those, what only the ledger has. */
  ledger: number;
}

/** Files take about 50 ns each, PostgreSQL 1 µs; beyond, it would not end in 30 s. */
export const VISITS_AT_MOST: VisitsAtMost = { files: 300_000_000, ledger: 30_000_000 };

/** What can be looked at in a time. */
export function visitsWithin(ms: number): VisitsAtMost {
  const { files, ledger } = VISITS_AT_MOST;
  return { files: Math.min(files, ms * 20_000), ledger: Math.min(ledger, ms * 1_000) };
}

/**
 * Before any visit is looked at: buckets say how many there are.
 * @param looks how often each visit is looked at; 1 unless given
 * @param part the ranges are what only the ledger can answer, or all that is looked at
 * @throws AppError `question-too-expensive`; details: estimate, limit
 */
export async function expectAffordable(
  tx: Transaction,
  of: VisitsOf,
  ranges: readonly InstantRange[],
  { atMost, part, looks = 1 }: { atMost: VisitsAtMost; part: keyof VisitsAtMost; looks?: number },
): Promise<void> {
  // Most questions are far from the limit: then nobody adds up buckets, which takes as long as the answer.
  if (part === 'files' && looks * (await mostVisits(tx, ranges)) <= atMost.files) return;
  const estimate = looks * (await countBuckets(tx, isSifted(of) ? EVERYBODY : of, ranges));
  const limit = atMost[part];
  if (estimate <= limit) return;
  const whose = part === 'files' ? '' : ' that are not in the archive yet';
  throw new AppError(
    'question-too-expensive',
    `The answer needs a look at ${estimate.toLocaleString('en-US')} visits${whose}, of ${limit.toLocaleString('en-US')} at most: ask for a shorter range, for fewer names, or without visitors and filters.`,
    { details: { estimate, limit } },
  );
}

/** Of everybody between the first and the last of the ranges: all of the files, and what came after them. Late visits of before are the ledger's. */
async function mostVisits(tx: Transaction, ranges: readonly InstantRange[]): Promise<number> {
  const from = Math.min(...ranges.map((range) => range.from));
  const to = Math.max(...ranges.map((range) => range.to));
  const [filed] = await tx.query<{ visits: number; to: Date | null }>(
    `SELECT coalesce(sum(visits), 0)::float8 AS visits, max(period_end) AS "to" FROM archive_files
     WHERE state = 'active' AND deleted_at IS NULL AND period_start < $2::timestamptz AND period_end > $1::timestamptz`,
    [toIso(from), toIso(to)],
  );
  const since = Math.max(from, filed?.to?.getTime() ?? from);
  const after = since >= to ? 0 : await countBuckets(tx, EVERYBODY, [{ from: since, to }]);
  return (filed?.visits ?? 0) + after;
}

/** No index finds the visits of a group or of very many links: everybody's are looked at. */
function isSifted({ links, groupId }: VisitsOf): boolean {
  return groupId !== undefined || (links !== undefined && 'select' in links);
}
