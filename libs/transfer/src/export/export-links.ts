import type { Readable } from 'node:stream';

import { COUNTED_VISITS, type TotalsSource } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { LinksAsCsv, LinksAsLines } from './link-streams.js';
import { watchReader } from './watch-reader.js';

const EXPORT_LINKS = loadSql(import.meta.url, 'sql/export-links.sql');
/** Walks the links by their id and looks their visits up: the first line comes at once, and nothing is sorted. */
const PLAN = `SELECT set_config('statement_timeout', '0', true),
  set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true)`;
/** Who takes a little every minute holds a snapshot that everybody's vacuum waits for. */
export const EXPORT_DEADLINE_MS = 15 * 60_000;

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions {
  format: ExportFormat;
  /** As of other records. */
  bom?: boolean;
  /** Of the short URLs. */
  publicScheme: 'http' | 'https';
  totals: TotalsSource;
  patienceMs?: number;
  /** From the start until the last line is read. */
  deadlineMs?: number;
}

/**
 * All links that are reached and not deleted, as of one moment, oldest first. PostgreSQL sends as fast as the stream is read: what is
 * not read yet is not here. Destroying the stream ends the query; so does a reader that takes nothing for a minute, or not
 * all of it in time.
 */
export function exportLinks(reach: Reach, database: Database, options: ExportOptions): Readable {
  const out = options.format === 'csv' ? new LinksAsCsv(options) : new LinksAsLines();
  const { patienceMs, deadlineMs = EXPORT_DEADLINE_MS } = options;
  watchReader(out, () => out.bytesTaken, { patienceMs, deadlineMs });
  const statement = EXPORT_LINKS.replace("'http'", `'${options.publicScheme}'`)
    .replace(COUNTED_VISITS.slots, COUNTED_VISITS[options.totals])
    .replace('/* reach */', () => reach.literals);
  void database
    .transaction(
      async (tx) => {
        await tx.query(PLAN);
        await tx.copyTo(statement, out);
      },
      { readOnly: true },
    )
    .catch((error: unknown) => out.destroy(error as Error));
  return out;
}
