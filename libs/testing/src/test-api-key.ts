import { createHash, randomBytes } from 'node:crypto';

import type { ApiScope } from '@hopcount/contracts';

import type { TestDatabase } from './test-database.js';

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const INSERT = `INSERT INTO api_keys (name, key_hash, scopes, enabled, expires_at, authored_only, no_orphans, domain_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT id FROM domains WHERE authority = $8)) RETURNING id`;

interface TestApiKey {
  /** Made up unless given. */
  name?: string;
  /** Everything unless given. */
  scopes?: readonly ApiScope[];
  enabled?: boolean;
  expiresAt?: Date;
  authoredOnly?: boolean;
  noOrphanVisits?: boolean;
  /** Must be filed. */
  domain?: string;
}

/** A key in the database, whatever it may be; its text made from what the README says of keys. */
export async function testApiKey(
  database: Pick<TestDatabase, 'query'>,
  given: TestApiKey = {},
): Promise<{ id: number; key: string }> {
  const digit = (value: number) => DIGITS[value % 62] as string;
  const secret = `hc_live_${Array.from(randomBytes(30), digit).join('')}`;
  let check = createHash('sha256').update(secret).digest().readBigUInt64BE(0);
  let checksum = '';
  for (; checksum.length < 6; check /= 62n) checksum = digit(Number(check % 62n)) + checksum;
  const key = `${secret}${checksum}`;
  const {
    name = `key ${randomBytes(6).toString('hex')}`,
    scopes = ['admin'],
    enabled = true,
    expiresAt = null,
  } = given;
  const { authoredOnly = false, noOrphanVisits = false, domain = null } = given;
  const hash = createHash('sha256').update(key).digest();
  const values = [name, hash, scopes, enabled, expiresAt, authoredOnly, noOrphanVisits, domain];
  const [row] = await database.query<{ id: number }>(INSERT, values);
  if (row === undefined) throw new Error('INSERT … RETURNING answers one row');
  return { id: row.id, key };
}
