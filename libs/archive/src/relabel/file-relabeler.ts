import { createReadStream } from 'node:fs';

import {
  ClassMoves,
  HOUR_MS,
  hourOf,
  type InstantRange,
  type LabelRules,
  lockRun,
  type RelabelRun,
  toIso,
} from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import { copyOut } from '../duckdb/copy-out.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { readCsv, WRITE_CSV } from '../duckdb/read-csv.js';
import type { ArchiveWriter } from '../files/archive-writer.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { FolderMarker } from '../files/folder-marker.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { type ArchiveManifest, movedOn } from '../manifest/archive-manifest.js';
import type { ArchiveStore, ExpectUnchanged } from '../store/archive-store.js';
import { type KeptFile, toFile, toJson } from './kept-file.js';
import { LABELLED_VISITS, labelVisits } from './label-file.js';

const FIND_CUT = loadSql(import.meta.url, 'sql/find-cut.sql');
const FIND_DAMAGED = loadSql(import.meta.url, 'sql/find-damaged.sql');
const LIST_STAGED = 'SELECT file_id AS id, added, written_at FROM relabel_files';
const STAGE_FILE =
  'INSERT INTO relabel_files (file_id, added) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING file_id';
const FORGET_FILES = 'DELETE FROM relabel_files WHERE file_id = ANY ($1::uuid[]) RETURNING added';
/** Nobody forgets these before the end of the transaction. $1 files, $2 written after */
const KEEP_FILES =
  'SELECT FROM relabel_files WHERE file_id = ANY ($1::uuid[]) AND written_at > $2::timestamptz FOR SHARE';
const KEEP_RETENTION = 'SELECT FROM ledger_retention FOR SHARE';
const COPY_MOVES = 'COPY relabel_moves FROM STDIN (FORMAT csv)';
const SELECT_DOMAINS = 'SELECT links.id, authority FROM links JOIN domains ON domains.id = domain_id';
const DOMAIN_COLUMNS = [
  { name: 'link_id', type: 'BIGINT' },
  { name: 'domain', type: 'VARCHAR' },
];

/** DuckDB: what a file moves from class to class. */
const FILE_MOVES = `SELECT link_id, bucket, coalesce(group_id, '') AS group_id, class, new_class, count(*) AS visits,
    bit_xor(checksum) AS checksum, target_host, short_host, referrer_host
  FROM labelled WHERE is_changing AND class <> new_class
  GROUP BY link_id, bucket, coalesce(group_id, ''), class, new_class, target_host, short_host, referrer_host`;

/** A file that does not count is removed in a day; the last of them has to count by then. */
const ASIDE_FOR_MS = 12 * HOUR_MS;
/** Of what is sealed and merged meanwhile little is in the range. */
const SWITCH_ATTEMPTS = 20;

export interface RelabelParts {
  database: Database;
  work: WorkFolder;
  store: ArchiveStore;
  manifest: ArchiveManifest;
  marker: FolderMarker;
  files: CheckedFiles;
  writer: ArchiveWriter;
  duck: DuckDatabase;
}

interface StagedRow {
  id: string;
  added: KeptFile | null;
  written_at: Date;
}

export interface StageOptions {
  /** With how many files are aside, or need not be. */
  onFile?: ((done: number, total: number) => void | Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

export interface FileLabels {
  files: number;
  /** Of which the class would be another one, where no ledger has them. */
  moves: ClassMoves;
  visits: number;
  changing: number;
  /** Rows that the switch would move: what `VisitRelabeler.expectFew` bounds. */
  sums: number;
}

/** Writes files anew with today's labels, aside; then all of them take the places of those they were made of at once. */
export class FileRelabeler {
  constructor(private readonly parts: RelabelParts) {}

  /** What would change in months that the ledger dropped: of the others the ledger says it. */
  async plan({ from, to }: InstantRange, rules: LabelRules, signal?: AbortSignal): Promise<FileLabels> {
    const { manifest, duck } = this.parts;
    const range = { from, to: Math.min(to, await manifest.keptFrom()) };
    const plan: FileLabels = { files: 0, moves: new ClassMoves(), visits: 0, changing: 0, sums: 0 };
    if (range.to <= range.from) return plan;
    await duck.session(async (session) => {
      await this.#loadDomains(session);
      for (const file of await manifest.files(range)) {
        await this.#label(session, { file, range, rules }, async () => {
          const rows = await session.rows<{ from: number; to: number; visits: number; changing: number }>(
            `SELECT class::DOUBLE AS "from", new_class::DOUBLE AS "to", count(*)::DOUBLE AS visits,
               (count(*) FILTER (is_changing))::DOUBLE AS changing
             FROM labelled WHERE is_in_range GROUP BY ALL`,
          );
          const [moved] = await session.rows<{ sums: number }>(`SELECT count(*)::DOUBLE AS sums FROM (${FILE_MOVES})`);
          plan.sums += moved?.sums ?? 0;
          for (const row of rows) {
            plan.moves.add(row.from, row.to, row.visits);
            plan.visits += row.visits;
            plan.changing += row.changing;
          }
          plan.files += 1;
        });
      }
    }, signal);
    return plan;
  }

  /**
   * Files that came meanwhile (sealed, merged, written anew) are read as well. May be cut short anywhere. `apply`: what else
   * changes in the transaction that lets the files aside count. @returns how many
   */
  async relabel(
    run: RelabelRun,
    rules: LabelRules,
    { apply, ...options }: StageOptions & { apply: (tx: Transaction) => Promise<void> },
  ): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#stage(run, rules, options);
      failpoint('relabel.before-switch');
      try {
        return await this.#switch(run, apply);
      } catch (error) {
        if (attempt === SWITCH_ATTEMPTS || !isAppError(error, 'archive-moved-on')) throw error;
      }
    }
  }

  async #stage(run: RelabelRun, rules: LabelRules, { onFile, signal }: StageOptions): Promise<void> {
    const { manifest, duck, work } = this.parts;
    const { range } = run;
    const files = await manifest.files(range);
    const staged = new Set((await this.#staged(run, files)).map(({ id }) => id));
    const left = files.filter(({ id }) => !staged.has(id));
    if (left.length === 0) return;
    await duck.session(async (session) => {
      await this.#loadDomains(session);
      let done = staged.size;
      for (const file of left) {
        await work.expectSpace();
        await this.#stageFile(session, run, { file, range, rules });
        failpoint('relabel.between-files');
        await onFile?.((done += 1), files.length);
      }
    }, signal);
  }

  /**
   * @throws AppError `archive-moved-on`: other files came meanwhile; `archive-seal-first`; `archive-file-damaged`;
   * `relabel-unfinished`. Nothing was changed
   */
  async #switch(run: RelabelRun, apply: (tx: Transaction) => Promise<void>): Promise<number> {
    const { manifest, marker } = this.parts;
    const { range } = run;
    const staged = await this.#staged(run, await manifest.files(range));
    const files = new Map(staged.map(({ id, added }) => [id, added === null ? undefined : toFile(added)]));
    await manifest.exchange({
      range,
      files,
      incarnation: await manifest.incarnation(),
      folderId: await marker.check(),
      also: async (tx) => {
        await lockRun(tx, run);
        // Another process may take what is aside for too old.
        const kept = await tx.query(KEEP_FILES, [[...files.keys()], toIso(Date.now() - ASIDE_FOR_MS)]);
        if (kept.length < files.size) throw movedOn();
        await this.#expectKnown(tx, range);
        await apply(tx);
      },
    });
    return [...files.values()].filter((file) => file !== undefined).length;
  }

  /**
   * What files alone have. Of a bucket that a purge cut in two, they may hold what buckets lost just before the month was
   * dropped; and a damaged one that becomes whole counts again.
   */
  async #expectKnown(tx: Transaction, { from, to: end }: InstantRange): Promise<void> {
    const { manifest } = this.parts;
    await tx.query(KEEP_RETENTION);
    const to = Math.min(end, await manifest.keptFrom(tx));
    if (to <= from) return;
    const differing = await manifest.differing({ from: hourOf(from), to }, tx);
    const [damaged] = await tx.query<{ path: string }>(FIND_DAMAGED, [differing.map(({ hour }) => toIso(hour))]);
    if (damaged !== undefined) throw isDamaged(damaged);
    const due = differing.filter(({ isDue }) => isDue).map(({ hour }) => hour);
    if (due.length === 0 || (await tx.query(FIND_CUT, [due.map(toIso)])).length === 0) return;
    throw new AppError('archive-seal-first', ARCHIVE_ERRORS['archive-seal-first'], { retryable: true });
  }

  /** Those of the files that are; what is of another file or ledger, too old to be there for long, or damaged is forgotten. */
  async #staged(run: RelabelRun, files: readonly ArchiveFile[]): Promise<StagedRow[]> {
    const { database, store, manifest } = this.parts;
    const incarnation = await manifest.incarnation();
    const isOurs = ({ added }: Pick<StagedRow, 'added'>) => added?.path.startsWith(`${incarnation}/`) !== false;
    const active = new Set(files.map(({ id }) => id));
    const rows = await database.query<StagedRow>(LIST_STAGED);
    const isWhole = async ({ path, sha256 }: KeptFile) => (await store.digest(path))?.sha256 === sha256;
    const good = new Set<StagedRow>();
    for (const row of rows) {
      const isFresh = active.has(row.id) && isOurs(row) && row.written_at.getTime() > Date.now() - ASIDE_FOR_MS;
      if (isFresh && (row.added === null || (await isWhole(row.added)))) good.add(row);
    }
    const stale = rows.filter((row) => !good.has(row));
    const forgotten =
      stale.length === 0
        ? []
        : await database.transaction(async (tx) => {
            await lockRun(tx, run);
            return tx.query<Pick<StagedRow, 'added'>>(FORGET_FILES, [stale.map(({ id }) => id)]);
          });
    for (const row of forgotten) if (row.added !== null && isOurs(row)) await store.remove(row.added.path);
    return [...good];
  }

  async #stageFile(session: DuckSession, run: RelabelRun, labelling: Labelling): Promise<void> {
    const { database, manifest, writer, store, work } = this.parts;
    const { file } = labelling;
    await this.#label(session, labelling, async (held, expectUnchanged) => {
      const [row] = await session.rows<{ changing: number }>(
        'SELECT (count(*) FILTER (is_changing))::DOUBLE AS changing FROM labelled',
      );
      const draft = { level: file.level, period: file.period, visits: LABELLED_VISITS, expected: sumOf(held) };
      const added =
        row?.changing === 0 ? undefined : await writer.writeAside(session, draft, await manifest.incarnation());
      await work.aside(async (moves) => {
        await session.run(
          `COPY (
            SELECT ${quote(file.id)} AS file_id, * REPLACE (to_timestamp(bucket / 1000) AS bucket) FROM (${FILE_MOVES})
          ) TO ${quote(moves)} ${WRITE_CSV}`,
        );
        let isOurs = true;
        try {
          isOurs = await database.transaction(async (tx) => {
            await lockRun(tx, run);
            const kept = added === undefined ? null : toJson(added);
            if ((await tx.query(STAGE_FILE, [file.id, kept])).length === 0) return false;
            await tx.copyFrom(COPY_MOVES, createReadStream(moves), session.signal);
            await expectUnchanged();
            return true;
          });
        } catch (error) {
          // Any other error may have come after the COMMIT.
          isOurs = !isAppError(error, 'relabel-unfinished') && !isAppError(error, 'archive-file-changed');
          throw error;
        } finally {
          if (!isOurs && added !== undefined) await store.remove(added.path);
        }
      });
    });
  }

  /** @throws AppError `archive-file-damaged` */
  async #label(
    session: DuckSession,
    { file, range, rules }: Labelling,
    work: (held: string, expectUnchanged: ExpectUnchanged) => Promise<void>,
  ) {
    await this.parts.files.use(
      [file],
      async ([opened], expectUnchanged) => {
        if (opened === undefined) throw isDamaged(file);
        const held = `(${archivedVisits([opened.local])})`;
        await labelVisits(session, { visits: `SELECT * FROM ${held}`, range, rules, work: this.parts.work });
        await work(held, expectUnchanged);
      },
      { anew: true },
    );
  }

  async #loadDomains(session: DuckSession): Promise<void> {
    const { database, work } = this.parts;
    await work.aside(async (path) => {
      await database.transaction((tx) => copyOut(tx, SELECT_DOMAINS, path, session.signal));
      await session.run(`CREATE OR REPLACE TEMP TABLE domains AS SELECT * FROM ${readCsv(path, DOMAIN_COLUMNS)}`);
    });
  }
}

interface Labelling {
  file: ArchiveFile;
  range: InstantRange;
  rules: LabelRules;
}

function isDamaged({ path }: Pick<ArchiveFile, 'path'>): AppError {
  return new AppError('archive-file-damaged', ARCHIVE_ERRORS['archive-file-damaged'], { details: { path } });
}
