import type { VisitsOf } from '@hopcount/archive';
import type { InstantRange } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { countBuckets } from './scope-traffic.js';

/** Visits that one question may look at: files take about 50 ns each, PostgreSQL 1 µs; beyond, it would not end in 30 s. */
const VISITS_AT_MOST = { files: 300_000_000, ledger: 30_000_000 };

/**
 * Before any visit is looked at: buckets say how many there are.
 * @param fromLedger the part that only the ledger can answer, once that is known
 * @throws AppError `question-too-expensive`; details: estimate, limit
 */
export async function expectAffordable(
  tx: Transaction,
  of: VisitsOf,
  range: InstantRange,
  fromLedger?: readonly InstantRange[],
): Promise<void> {
  const estimate = await countBuckets(tx, of, fromLedger ?? [range]);
  const limit = fromLedger === undefined ? VISITS_AT_MOST.files : VISITS_AT_MOST.ledger;
  if (estimate <= limit) return;
  const whose = fromLedger === undefined ? '' : ' that are not in the archive yet';
  throw new AppError(
    'question-too-expensive',
    `The answer needs a look at ${estimate.toLocaleString('en-US')} visits${whose}, of ${limit.toLocaleString('en-US')} at most: ask for a shorter range, or without visitors and filters.`,
    { details: { estimate, limit } },
  );
}
