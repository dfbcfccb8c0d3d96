import { type Database, loadSql } from '@hopcount/postgres';
import { plural } from '@hopcount/runtime';

import { type Check, ok, warn } from './check.js';

const FIND_ALIKE = loadSql(import.meta.url, 'sql/find-alike-codes.sql');
const SHOWN = 10;

/** Links that were made while codes were exact and that loose codes cannot tell apart. */
export async function checkLooseCodes(database: Database): Promise<Check> {
  const rows = await database.query<{ alike: string }>(FIND_ALIKE, [SHOWN + 1]);
  if (rows.length === 0)
    return ok('loose codes', 'no two links differ in the case of letters only', { found: 'no-codes-alike' });
  const isMore = rows.length > SHOWN;
  const more = isMore ? ' and more' : '';
  const found = rows.slice(0, SHOWN).map(({ alike }) => alike);
  return warn(
    'loose codes',
    `${plural(found.length, 'code')}${more} of several links: ${found.join('; ')}`,
    'Each is reached in its own spelling, other spellings are 404 until only one of them is left.',
    {
      ...{ found: isMore ? 'codes-alike-more' : 'codes-alike', advice: 'leave-one-spelling' },
      values: { count: found.length, codes: found.join('; ') },
    },
  );
}
