import type { Database } from '@hopcount/postgres';

import { readDoubted } from '../verify/doubted-sums.js';
import { type Check, fail, ok } from './check.js';

const NAME = 'sums';
const ADVICE =
  'Run `hopcount verify` to see what differs, then `hopcount rebuild --all --execute`: answers say exact: false until then.';

/** Whether sums are known to be something else than their visits, where and since when: what every surface says of it comes from here. */
export async function checkSums(database: Database): Promise<Check> {
  const doubted = await readDoubted(database);
  if (doubted === undefined) return ok(NAME, 'none is known to be wrong', { found: 'sums-right' });
  const checks = doubted.checks.join(', ');
  const since = doubted.since.toISOString();
  if (doubted.from >= doubted.to) {
    const found = `sums of all time are wrong (found by: ${checks}), known since ${since}`;
    return fail(NAME, found, ADVICE, { found: 'totals-doubted', advice: 'rebuild-sums', values: { checks, since } });
  }
  const [from, to] = [doubted.from, doubted.to].map((at) => new Date(at).toISOString());
  const found = `sums between ${from} and ${to} are wrong (found by: ${checks}), known since ${since}`;
  const values = { from: from!, to: to!, checks, since };
  return fail(NAME, found, ADVICE, { found: 'sums-doubted', advice: 'rebuild-sums', values });
}
