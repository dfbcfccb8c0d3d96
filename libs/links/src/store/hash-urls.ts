import { type Database, loadSql } from '@hopcount/postgres';

import { urlHash } from '../targets/normal-url.js';

const FIND_UNHASHED = `SELECT id, long_url FROM links WHERE url_hash IS NULL AND deleted_at IS NULL AND id > $1
  ORDER BY id LIMIT $2`;
const SET_HASHES = loadSql(import.meta.url, 'sql/set-url-hashes.sql');
const BATCH = 1_000;
/** Of one run; the next one goes on. */
const BATCHES = 100;

/**
 * For the worker: gives links the hash of their long URL that were made before there were hashes, restored, or made by a
 * process of an older version. @returns how many
 */
export async function hashUrls(database: Database, signal?: AbortSignal): Promise<number> {
  let [hashed, after] = [0, '0'];
  for (let batch = 0; batch < BATCHES && signal?.aborted !== true; batch += 1) {
    const rows = await database.query<{ id: string; long_url: string }>(FIND_UNHASHED, [after, BATCH]);
    const [ids, urls] = [rows.map(({ id }) => id), rows.map((row) => row.long_url)];
    if (ids.length > 0) hashed += (await database.execute(SET_HASHES, [ids, urls, urls.map(urlHash)])).affected;
    if (rows.length < BATCH) break;
    after = ids.at(-1) ?? after;
  }
  return hashed;
}
