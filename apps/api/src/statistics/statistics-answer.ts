import { createHash } from 'node:crypto';

import type { ParquetColumn, ParquetFiles } from '@hopcount/archive';
import { KEY_ROTATIONS_SAID, type ProblemCode, VISIT_CLASSES } from '@hopcount/contracts';
import { CSV_BOM, csvLine, type KeyPeriods } from '@hopcount/runtime';
import { formatStarts, type StatisticsRange, type VisitsQuery } from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';

import { clientGone } from '../http/client-gone.js';
import { FILE_TYPES, sentType } from '../http/file-types.js';

export const EXACT =
  'Exact at every instant and in every zone: what is kept as sums is summed, all else is counted over the visits, those of the ' +
  'archive where they are what was counted. `304` for an `If-None-Match` with the ETag of an answer whose numbers are still the same.';

/** Of every question about the visits of any scope. */
export const PROBLEMS: readonly ProblemCode[] = [
  'invalid-range',
  'invalid-time-zone',
  'question-too-expensive',
  'too-many-questions',
  'short-url-not-found',
  'tag-not-found',
  'domain-not-found',
  'group-not-found',
  'beyond-role',
  'archive-question-too-large',
  'archive-unreadable',
];

/** What statistics of many rows can be had as. */
export const FORMATS = ['json', 'csv', 'jsonl', 'parquet'] as const;
export type StatisticsFormat = (typeof FORMATS)[number];
/** Of the document. */
export const ROW_TYPES = ['application/json', ...Object.values(FILE_TYPES)] as const;
/** In an answer that is a file. */
export const ROWS_AT_MOST = 100_000;

/** They change while the numbers stay the same. */
const ASIDE = new Set(['countedUpTo', 'pending', 'readFrom']);

/** When visitors and addresses of a range got other hashes. */
export function keyRotationsIn(
  { from, to, timeZone }: Pick<StatisticsRange, 'from' | 'to' | 'timeZone'>,
  keyPeriods: KeyPeriods,
): string[] {
  return formatStarts(keyPeriods.changes({ fromMs: from, beforeMs: to }, KEY_ROTATIONS_SAID), timeZone);
}

/** With an ETag of its numbers; 304 where the client has them. @param said what they are, where they are not all of it */
export function sendAnswer(
  reply: FastifyReply,
  known: string | undefined,
  answer: Record<string, unknown>,
  said = answer,
): void {
  if (!isKnown(reply, known, said)) reply.send(answer);
}

/** Rows as a file; what every answer says is in a header. */
export async function sendRows(
  { reply, known, parquet, bom }: FileAnswer,
  format: Exclude<StatisticsFormat, 'json'>,
  { name, columns, rows, described }: RowsOfAnswer,
): Promise<void> {
  if (isKnown(reply, known, { format, bom, columns, rows, described })) return;
  const gone = clientGone(reply);
  const cells = () => rows.map((row) => columns.map((column) => row[column] ?? null));
  const file = {
    csv: () => (bom ? CSV_BOM : '') + [columns, ...cells()].map(csvLine).join(''),
    jsonl: () => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    parquet: () => parquet.make({ columns: columns.map(typed), rows: cells(), about: described }, gone),
  };
  const body = await Promise.resolve(file[format]()).catch((error: unknown) => {
    if (gone.aborted) return undefined;
    throw error;
  });
  if (body === undefined) return;
  // The list of ranges could be longer than a header may be; `exact` says whether there are any.
  const said = Object.fromEntries(Object.entries(described).filter(([field]) => field !== 'inexact'));
  void reply
    .header('content-type', sentType(format))
    .header('content-disposition', `attachment; filename="${name}.${format}"`)
    .header('x-statistics', JSON.stringify(said))
    .send(body);
}

interface FileAnswer {
  reply: FastifyReply;
  known: string | undefined;
  parquet: ParquetFiles;
  /** Of CSV. */
  bom: boolean;
}

interface RowsOfAnswer {
  name: string;
  columns: readonly string[];
  rows: readonly Record<string, string | number | null | undefined>[];
  described: Record<string, unknown>;
}

/** What is not text. */
const NUMBERS = new Set<string>(['visits', 'visitors', 'ips', ...VISIT_CLASSES]);

function typed(name: string): ParquetColumn {
  return { name, type: name === 'start' ? 'TIMESTAMPTZ' : NUMBERS.has(name) ? 'BIGINT' : 'VARCHAR' };
}

/** What is named in the query, else what the client accepts. */
export function formatOf(named: StatisticsFormat | undefined, accept: string | undefined): StatisticsFormat {
  if (named !== undefined) return named;
  const types = (accept ?? '').split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  if (types.includes('application/json')) return 'json';
  const formats = ['csv', 'parquet', 'jsonl'] as const;
  return formats.find((format) => types.includes(FILE_TYPES[format])) ?? 'json';
}

/** What is counted, as columns. */
export function countColumns(uniques: VisitsQuery['uniques']): string[] {
  const has = (...asked: VisitsQuery['uniques'][]) => asked.includes(uniques);
  return ['visits', ...(has('visitors', 'all') ? ['visitors'] : []), ...(has('ips', 'all') ? ['ips'] : [])];
}

function isKnown(reply: FastifyReply, known: string | undefined, said: object): boolean {
  const numbers = JSON.stringify(said, (name, value: unknown) => (ASIDE.has(name) ? undefined : value));
  const tag = `W/"${createHash('sha256').update(numbers).digest('base64url')}"`;
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  const isSame = known?.split(',').some((entry) => entry.trim() === tag) === true;
  if (isSame) reply.code(304).send();
  return isSame;
}
