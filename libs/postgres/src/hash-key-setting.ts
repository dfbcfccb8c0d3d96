import { AppError, fingerprintOf, type HashKeys, KeyPeriods, keyRotations } from '@hopcount/runtime';

import type { Database } from './database.js';
import type { Queryable } from './queryable.js';

const READ = 'SELECT fingerprint, rotations FROM hash_key_setting';
const LOCK = `${READ} FOR UPDATE`;
const KEEP = `INSERT INTO hash_key_setting (fingerprint, rotations) VALUES ($1, $2)
  ON CONFLICT (singleton) DO UPDATE SET fingerprint = excluded.fingerprint, rotations = excluded.rotations, changed_at = now()`;
const COUNTED_SINCE = `SELECT FROM scope_traffic
  WHERE scope = 'all' AND scope_id = '' AND bucket >= $1::timestamptz AND visits > 0 LIMIT 1`;

interface Stored {
  /** null: no consumer has said it. */
  fingerprint: string | null;
  rotations: string;
}

interface Mismatch {
  /** Hashes of visits since then are others; undefined: of all visits. */
  sinceMs: number | undefined;
  message: string;
}

/**
 * What hashes of people are made with. Consumers write it down as they start and what it was for visits that are counted may not
 * change: people would count anew, and whoever is to be erased would not be found. Rotations of days to come may.
 * @throws AppError `invalid-config`
 */
export async function keepHashKeys(database: Database, keys: HashKeys): Promise<void> {
  const [fingerprint, rotations] = [fingerprintOf(keys), keys.keyPeriods.toString()];
  const [known] = await database.query<Stored>(READ);
  if (known?.fingerprint === fingerprint && known.rotations === rotations) return;
  await database.transaction(async (tx) => {
    const [stored] = await tx.query<Stored>(LOCK);
    const mismatch = stored && compare(stored, keys);
    if (mismatch !== undefined) {
      const since = mismatch.sinceMs === undefined ? '-infinity' : new Date(mismatch.sinceMs).toISOString();
      if ((await tx.query(COUNTED_SINCE, [since])).length > 0) throw new AppError('invalid-config', mismatch.message);
    }
    await tx.query(KEEP, [fingerprint, rotations]);
  });
}

/** What is other than consumers said, so that this process makes or looks for hashes nobody else has; undefined: nothing. */
export async function hashKeyMismatch(queryable: Queryable, keys: HashKeys): Promise<string | undefined> {
  const [stored] = await queryable.query<Stored>(READ);
  return stored === undefined || stored.fingerprint === null ? undefined : compare(stored, keys)?.message;
}

/** For readiness: who counts and answers goes on, and says so. */
export async function hashKeyHealth(queryable: Queryable, keys: HashKeys) {
  const detail = await hashKeyMismatch(queryable, keys).catch((error: Error) => error.message);
  return detail === undefined ? { status: 'pass' as const } : { status: 'warn' as const, detail };
}

function compare({ fingerprint, rotations }: Stored, keys: HashKeys): Mismatch | undefined {
  if (fingerprint !== null && fingerprint !== fingerprintOf(keys)) {
    const message =
      'HOPCOUNT_HASH_SECRET (HOPCOUNT_SECRET without it) is not the one that hashes of visitors and addresses were made with so far: set it as it was.';
    return { sinceMs: undefined, message };
  }
  const kept = new KeyPeriods(keyRotations.parse(rotations));
  const sinceMs = kept.firstDifference(keys.keyPeriods, Date.now());
  if (sinceMs === undefined) return undefined;
  const since = new Date(sinceMs).toISOString().slice(0, 10);
  const message = `HASH_KEY_ROTATIONS is not what hashes were made with so far ('${rotations}'): it differs since ${since}. Days that have begun stay as they were; change days to come, everywhere.`;
  return { sinceMs, message };
}
