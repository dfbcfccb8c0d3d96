import type { Queryable } from '@hopcount/postgres';

import {
  LOOSE_CODE_ALPHABET,
  MOST_COLLISIONS,
  RANDOM_CODE_ALPHABET,
  RANDOM_CODE_LENGTH,
} from '../codes/random-code.js';
import { SNOWFLAKE_END_MS, SNOWFLAKE_EPOCH_MS } from './snowflake.js';

/** From here on operators are warned: a tenth is left. */
export const ID_SPACE_WARNS_FROM = 0.9;

interface IdSpaces {
  /** Length of generated codes, and the share of those that may be given out before codes get one character more. */
  codes: { length: number; used: number };
  /** Share of the time that ids of links can hold. */
  snowflakes: { endsAtMs: number; used: number };
}

/** Codes are of a domain: the fullest one. */
const MOST_LINKS = `SELECT coalesce(max(links), 0)::float8 AS links
  FROM (SELECT sum(links) AS links FROM link_counts GROUP BY domain_id) AS domains`;

export async function measureIdSpaces(
  database: Queryable,
  { looseCodes, nowMs = Date.now() }: { looseCodes: boolean; nowMs?: number },
): Promise<IdSpaces> {
  const [row] = await database.query<{ links: number }>(MOST_LINKS);
  return {
    codes: spaceOfCodes(row?.links ?? 0, looseCodes),
    snowflakes: {
      endsAtMs: SNOWFLAKE_END_MS,
      used: (nowMs - SNOWFLAKE_EPOCH_MS) / (SNOWFLAKE_END_MS - SNOWFLAKE_EPOCH_MS),
    },
  };
}

/** Among `links` of N possible codes a new one collides with probability links / N. */
function spaceOfCodes(links: number, looseCodes: boolean): IdSpaces['codes'] {
  const { length: alphabet } = looseCodes ? LOOSE_CODE_ALPHABET : RANDOM_CODE_ALPHABET;
  const roomOf = (length: number) => alphabet ** length * MOST_COLLISIONS;
  let length = RANDOM_CODE_LENGTH;
  while (links > roomOf(length)) length += 1;
  return { length, used: links / roomOf(length) };
}
