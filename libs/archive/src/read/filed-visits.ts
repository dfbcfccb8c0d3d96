import { BUCKET_MS, bucketOf, type InstantRange, toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { archivedVisits, readParquet, sumOf } from '../duckdb/archived-visits.js';
import { readKeptFrom } from './kept-from.js';

/** Visits of months that the ledger dropped: of some links, or of all. */
export interface FiledQuestion extends InstantRange {
  /** undefined: all. */
  linkIds: readonly string[] | undefined;
  exceptClasses: readonly number[];
}

/** Rows `offset` to `offset + limit` of a list in which each bucket has its place, whether or not files hold all of it. */
export interface FiledPage {
  offset: number;
  limit: number;
  /** Buckets of the range with the visits that are newer than all of them. */
  places: readonly { bucket: number; newer: number }[];
}

const READ_PURGES = loadSql(import.meta.url, 'sql/read-purges.sql');

interface Purges {
  link_ids: string[];
  marks: Date[];
  visits: (string | null)[];
  checksums: (string | null)[];
}

/** DuckDB: what the files hold of the question, without what was purged since they were written. */
export async function filedVisits(tx: Transaction, paths: readonly string[], question: FiledQuestion): Promise<string> {
  const { from, to, linkIds, exceptClasses } = question;
  const keptFrom = await readKeptFrom(tx);
  const before = Number.isFinite(keptFrom) ? toIso(keptFrom) : '-infinity';
  const [row] = await tx.query<Purges>(READ_PURGES, [toIso(from), linkIds ?? null, before]);
  const purges =
    row === undefined || row.link_ids.length === 0
      ? ''
      : `AND NOT EXISTS (
           SELECT 1 FROM (${marksOf(row, paths)}) WHERE purged_link = link_id AND epoch_ms(occurred_at) < mark
         )`;
  return `(SELECT * FROM ${readParquet(paths)}
    WHERE occurred_at >= '${toIso(from)}'::TIMESTAMPTZ AND occurred_at < '${toIso(to)}'::TIMESTAMPTZ
      ${linkIds === undefined ? '' : `AND link_id IN (${linkIds.join(', ')})`}
      ${exceptClasses.length === 0 ? '' : `AND class NOT IN (${exceptClasses.join(', ')})`} ${purges})`;
}

/**
 * DuckDB: before which instant visits of a link are gone. A bucket that the purge cuts in two, where only files have visits, still
 * counts those before it if the month was dropped by then (see isMarked()): if it says what the files hold.
 */
function marksOf({ link_ids: ids, marks, visits, checksums }: Purges, paths: readonly string[]): string {
  const all = `SELECT unnest([${ids.join(', ')}]::BIGINT[]) AS purged_link,
    unnest([${marks.map((mark) => mark.getTime()).join(', ')}]::BIGINT[]) AS mark`;
  const cut = ids
    .map((id, nth) => ({ id, bucket: bucketOf(marks[nth]?.getTime() ?? 0), visits: visits[nth], sum: checksums[nth] }))
    .filter((one) => one.visits != null);
  if (cut.length === 0) return all;
  const kept = cut.map(({ id, bucket, visits: number, sum }) => `(${id}, ${bucket}, ${number}, ${sum})`);
  const held = `(${archivedVisits(paths)}) WHERE link_id IN (${cut.map(({ id }) => id).join(', ')})
    AND bucket IN (${[...new Set(cut.map(({ bucket }) => bucket))].join(', ')})`;
  return `SELECT purged_link, coalesce(bucket, mark) AS mark FROM (${all}) LEFT JOIN (
      SELECT link_id, bucket FROM (${sumOf(held)})
      JOIN (VALUES ${kept.join(', ')}) AS kept (link_id, bucket, visits, checksum) USING (link_id, bucket, visits, checksum)
    ) ON link_id = purged_link`;
}

export function countFiled(visits: string): string {
  return `SELECT count(*)::DOUBLE AS visits FROM ${visits}`;
}

/** Newest first. Where files lack visits of a bucket, or a place has none, no other row takes its number. */
export function listFiled(visits: string, columns: string, { offset, limit, places }: FiledPage): string {
  const list = (values: readonly number[]) => `unnest([${values.join(', ')}]::BIGINT[])`;
  return `SELECT ${columns}
    FROM (
      SELECT *, row_number() OVER (PARTITION BY bucket ORDER BY occurred_at DESC, event_id DESC) AS nth
      FROM (SELECT *, epoch_ms(occurred_at) // ${BUCKET_MS} * ${BUCKET_MS} AS bucket FROM ${visits})
    )
    JOIN (
      SELECT ${list(places.map(({ bucket }) => bucket))} AS bucket, ${list(places.map(({ newer }) => newer))} AS newer
    ) USING (bucket)
    WHERE newer + nth > ${offset} AND newer + nth <= ${offset + limit}
    ORDER BY occurred_at DESC, event_id DESC`;
}

/** Oldest first, which is the order of event ids: they begin with the time. */
export function nextFiled(visits: string, columns: string, { after, limit }: { after: string; limit: number }): string {
  return `SELECT ${columns} FROM ${visits} WHERE event_id > '${after}'::UUID ORDER BY occurred_at, event_id LIMIT ${limit}`;
}
