import { EVERYBODY, type VisitsOf } from '@hopcount/archive';
import type { InstantRange } from '@hopcount/ledger';
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

/** No index finds the visits of a group or of very many links: everybody's are looked at. */
function isSifted({ links, groupId }: VisitsOf): boolean {
  return groupId !== undefined || (links !== undefined && 'select' in links);
}
