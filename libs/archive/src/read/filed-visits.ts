import { BUCKET_MS, type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { isMarked } from '../clean/purged-visits.js';
import { readParquet } from '../duckdb/archived-visits.js';
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

const READ_PURGES = `SELECT coalesce(array_agg(id), '{}') AS link_ids, coalesce(array_agg(purged_before), '{}') AS marks
  FROM links WHERE purged_before > $1::timestamptz AND ($2::bigint[] IS NULL OR id = ANY ($2))`;

/** DuckDB: what the files hold of the question, without what was purged since they were written. */
export async function filedVisits(tx: Transaction, paths: readonly string[], question: FiledQuestion): Promise<string> {
  const { from, to, linkIds, exceptClasses } = question;
  const [row] = await tx.query<{ link_ids: string[]; marks: Date[] }>(READ_PURGES, [toIso(from), linkIds ?? null]);
  const purges =
    row === undefined || row.link_ids.length === 0
      ? ''
      : `AND NOT EXISTS (
           SELECT 1 FROM (SELECT unnest([${row.link_ids.join(', ')}]::BIGINT[]) AS purged_link,
             unnest([${row.marks.map((mark) => mark.getTime()).join(', ')}]::BIGINT[]) AS purged_before)
           WHERE purged_link = link_id AND ${isMarked('epoch_ms(occurred_at)', 'purged_before', await readKeptFrom(tx))}
         )`;
  return `(SELECT * FROM ${readParquet(paths)}
    WHERE occurred_at >= '${toIso(from)}'::TIMESTAMPTZ AND occurred_at < '${toIso(to)}'::TIMESTAMPTZ
      ${linkIds === undefined ? '' : `AND link_id IN (${linkIds.join(', ')})`}
      ${exceptClasses.length === 0 ? '' : `AND class NOT IN (${exceptClasses.join(', ')})`} ${purges})`;
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
