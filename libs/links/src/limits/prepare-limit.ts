import { type Database, earlierWritersEnded } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { LINKS_ERRORS } from '../links.errors.js';

const ADD_ROW = 'INSERT INTO link_limits (link_id) VALUES ($1) ON CONFLICT (link_id) DO NOTHING';
const IS_BASED = 'SELECT FROM link_limits WHERE link_id = $1 AND is_based';
const WAIT_MS = 10_000;

/**
 * Before a link that may have visits gets its first limit: its row, and then the end of all commits that may not have
 * seen it. What they counted is in the sums then; each later one sees the row and adds to it what came without a use. So
 * the transaction that sets the limit can begin with exactly the visits so far (`keep_link_limit()`).
 * @throws AppError `limit-not-set` (retryable)
 */
export async function prepareLimit(database: Database, linkId: string, waitMs = WAIT_MS): Promise<void> {
  await database.query(ADD_ROW, [linkId]);
  if ((await database.query(IS_BASED, [linkId])).length > 0) return;
  if (await earlierWritersEnded(database, { waitMs })) return;
  throw new AppError('limit-not-set', LINKS_ERRORS['limit-not-set'], { retryable: true });
}
