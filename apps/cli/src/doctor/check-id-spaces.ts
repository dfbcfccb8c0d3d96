import type { Check } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';

import type { CliConfig } from '../cli.config.js';

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Whether codes get longer soon, or ids of links end. */
export async function checkIdSpaces(database: Database, config: Pick<CliConfig, 'looseCodes'>): Promise<Check> {
  const { ok, warn } = await import('@hopcount/ledger');
  const { ID_SPACE_WARNS_FROM, measureIdSpaces } = await import('@hopcount/links');
  const { codes, snowflakes } = await measureIdSpaces(database, config);
  const ends = new Date(snowflakes.endsAtMs).toISOString().slice(0, 10);
  const found = `codes of ${codes.length} characters: ${percent(codes.used)} used; time of ids until ${ends}: ${percent(snowflakes.used)} used`;
  if (snowflakes.used > ID_SPACE_WARNS_FROM)
    return warn(
      'id space',
      found,
      `No link can be created after ${ends}. Check the clock; if it is right, upgrade Hopcount.`,
    );
  if (codes.used > ID_SPACE_WARNS_FROM)
    return warn(
      'id space',
      found,
      `Generated codes will soon have ${codes.length + 1} characters. Make room for that where codes are printed.`,
    );
  return ok('id space', found);
}
