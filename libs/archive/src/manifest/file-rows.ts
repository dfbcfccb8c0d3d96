import { type InstantRange, toIso } from '@hopcount/ledger';
import { loadPreparedSql, loadSql, type Queryable, type Transaction } from '@hopcount/postgres';

import type { ArchiveFile, ArchiveLevel, NewArchiveFile } from './archive-file.js';

const INSERT_FILE = loadSql(import.meta.url, 'sql/insert-file.sql');
const PAGE_FILES = loadSql(import.meta.url, 'sql/page-files.sql');
const LIST_FILES = loadPreparedSql(import.meta.url, 'sql/list-files.sql');

interface FileRow {
  id: string;
  path: string;
  level: ArchiveLevel;
  period_start: Date;
  period_end: Date;
  visits: number;
  checksum: string;
  bytes: number;
  sha256: string;
  state: ArchiveFile['state'];
  sealed_at: Date;
}

/** Files in one of these states that may hold visits of the range, by time. */
export async function listFiles(
  through: Queryable,
  { from, to }: InstantRange,
  states: readonly ArchiveFile['state'][],
) {
  const rows = await through.query<FileRow>(LIST_FILES, [toIso(from), toIso(to), states]);
  return rows.map(toFile);
}

/** Whether exactly these are active in the period. */
export async function areTheFiles(
  tx: Transaction,
  period: InstantRange,
  expected: ReadonlySet<string>,
): Promise<boolean> {
  const active = await listFiles(tx, period, ['active']);
  return active.length === expected.size && active.every(({ id }) => expected.has(id));
}

export async function insertFile(tx: Transaction, file: NewArchiveFile, incarnation: string): Promise<void> {
  await tx.query(INSERT_FILE, [
    file.id,
    file.path,
    file.level,
    toIso(file.period.from),
    toIso(file.period.to),
    file.visits,
    file.checksum.toString(),
    file.bytes,
    file.sha256,
    incarnation,
    file.hours.map(({ hour }) => toIso(hour)),
    file.hours.map(({ visits }) => visits),
    file.hours.map(({ checksum }) => checksum.toString()),
  ]);
}

/** Those on disk, the newest period first. @param after the last of the page before */
export async function pageFiles(through: Queryable, after: { from: number; id: string } | null, limit: number) {
  const values = [after === null ? null : toIso(after.from), after?.id ?? null, limit];
  return (await through.query<FileRow>(PAGE_FILES, values)).map(toFile);
}

function toFile(row: FileRow): ArchiveFile {
  return {
    id: row.id,
    path: row.path,
    level: row.level,
    period: { from: row.period_start.getTime(), to: row.period_end.getTime() },
    visits: row.visits,
    checksum: BigInt(row.checksum),
    bytes: row.bytes,
    sha256: row.sha256,
    sealedAt: row.sealed_at.getTime(),
    state: row.state,
  };
}
