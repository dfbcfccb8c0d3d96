import type { Check } from '@hopcount/ledger';
import { type Database, hashKeyMismatch } from '@hopcount/postgres';

import type { CliConfig } from '../cli.config.js';
import { hashKeysOf } from '../erase/who.js';

/** Whether people would be found here by the hashes that consumers store. */
export async function checkHashKeys(database: Database, config: CliConfig): Promise<Check> {
  const { fail, ok } = await import('@hopcount/ledger');
  const mismatch = await hashKeyMismatch(database, hashKeysOf(config));
  return mismatch === undefined
    ? ok('hash keys', 'as consumers have them')
    : fail('hash keys', mismatch, 'Set them the same everywhere; see docs/privacy.md.');
}
