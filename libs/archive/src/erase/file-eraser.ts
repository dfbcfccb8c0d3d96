import { type FiledErasure, type FiledLoss, hourOf, type People, toIso } from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { Attempts, type Failure } from '../attempts.js';
import type { FileCleaner } from '../clean/file-cleaner.js';
import { archivedVisits } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ALL_TIME, type ArchiveManifest } from '../manifest/archive-manifest.js';

const LOCK_KEPT_FROM = 'SELECT kept_from FROM ledger_retention FOR SHARE';

const LOST_FILES = loadSql(import.meta.url, 'sql/lost-files.sql');
const FIND_CUT = `SELECT FROM unnest($1::bigint[], $2::timestamptz[]) AS lost (link_id, bucket) JOIN links ON id = link_id
  WHERE purged_before > bucket AND purged_before < bucket + interval '15 minutes' LIMIT 1`;

export interface EraseParts {
  database: Database;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  cleaner: FileCleaner;
  duck: DuckDatabase;
}

export interface FileErasure {
  /** That held some of them. */
  files: number;
  /** In these files. */
  visits: number;
  /** Of these, in months the ledger dropped: nothing else has them. */
  dropped: number;
  /** Files that could not be read or written anew: what they hold is still there. */
  failed: Failure[];
}

interface Cleaning {
  file: ArchiveFile;
  attempts: Attempts;
  also: (tx: Transaction) => Promise<void>;
  signal: AbortSignal | undefined;
}

/** Takes people's visits out of the files, after they went out of the ledger. */
export class FileEraser {
  constructor(private readonly parts: EraseParts) {}

  /** What files have of them. */
  find(people: People, signal?: AbortSignal): Promise<FileErasure> {
    return this.#walk(people, undefined, signal);
  }

  /**
   * Writes the files anew without them. Where the ledger has the month, buckets have lost these visits already; where it
   * was dropped, they lose them in the transaction that replaces the file: no moment is between. May be cut short anywhere.
   */
  erase(people: People, erasure: FiledErasure, signal?: AbortSignal): Promise<FileErasure> {
    return this.#walk(people, erasure, signal);
  }

  /** Files that came meanwhile (merged, sealed, written anew) are looked at, too. */
  async #walk(
    people: People,
    erasure: FiledErasure | undefined,
    signal: AbortSignal | undefined,
  ): Promise<FileErasure> {
    const { manifest, cleaner, duck } = this.parts;
    const forget = erasure?.forget;
    const attempts = new Attempts(signal);
    const report: FileErasure = { files: 0, visits: 0, dropped: 0, failed: attempts.failed };
    const looked = new Set<string>();
    const next = async () => {
      const files = (await manifest.files(ALL_TIME)).filter(({ period }) => mayHold(period, people));
      return files.filter(({ id }) => !looked.has(id));
    };
    await duck.session(async (session) => {
      await cleaner.begin(session);
      for (let files = await next(); files.length > 0 && signal?.aborted !== true; files = await next()) {
        for (const file of files) {
          looked.add(file.id);
          await erasure?.goesOn();
          await attempts.run(`file ${file.path}`, async () => {
            const lost = await this.#look(session, file, people);
            if (lost.length === 0) return;
            const visits = lost.reduce((sum, loss) => sum + loss.visits, 0);
            const keptFrom = await manifest.keptFrom();
            const isDropped = file.period.from < keptFrom;
            if (isDropped && forget !== undefined) await this.#expectKnown(file, lost);
            let dropped = isDropped ? visits : 0;
            const also = async (tx: Transaction) => {
              if (forget !== undefined && isDropped) dropped = await forgetIn(tx, { forget, lost, keptFrom });
            };
            const gone = forget === undefined ? visits : await this.#clean(session, { file, attempts, also, signal });
            if (gone === 0) return;
            report.files += 1;
            report.visits += gone;
            report.dropped += dropped;
          });
          await session.run('TRUNCATE gone');
        }
      }
    }, signal);
    // Last: what is damaged shows when it is read.
    for (const { path } of await this.#lost(people))
      attempts.failed.push({ what: `file ${path}`, error: damaged(path) });
    return report;
  }

  /** What took the place of a file meanwhile (sealed, merged, written by another erasure) is looked at next: no failure. */
  async #clean(session: DuckSession, { file, attempts, also, signal }: Cleaning): Promise<number> {
    const own = new Attempts(signal);
    const gone = await this.parts.cleaner.clean(session, own, also);
    for (const failure of own.failed) {
      const isReplaced =
        isAppError(failure.error, 'archive-moved-on') && !(await this.parts.manifest.isActive(file.id));
      if (!isReplaced) attempts.failed.push(failure);
    }
    return gone;
  }

  /** Nobody else has what they hold, and they cannot be written anew. */
  #lost({ fromMs, beforeMs }: People): Promise<{ path: string }[]> {
    const { from, to } = ALL_TIME;
    return this.parts.database.query(LOST_FILES, [toIso(Math.max(fromMs, from)), toIso(Math.min(beforeMs, to))]);
  }

  /**
   * Of a bucket that a purge cuts in two, files may still hold what buckets lost just before the month was dropped.
   * @throws AppError `archive-seal-first`
   */
  async #expectKnown({ period }: ArchiveFile, lost: readonly FiledLoss[]): Promise<void> {
    const due = new Set(await this.parts.manifest.dueHours(period));
    const doubted = lost.filter(({ bucket }) => due.has(hourOf(bucket.getTime())));
    if (doubted.length === 0) return;
    const cut = await this.parts.database.query(FIND_CUT, [
      doubted.map(({ linkId }) => linkId),
      doubted.map(({ bucket }) => bucket.toISOString()),
    ]);
    if (cut.length > 0)
      throw new AppError('archive-seal-first', ARCHIVE_ERRORS['archive-seal-first'], { retryable: true });
  }

  /** Gathers what the file has of them for the cleaner. @returns what it loses */
  async #look(session: DuckSession, file: ArchiveFile, people: People): Promise<FiledLoss[]> {
    return this.parts.files.use([file], async ([usable], expectUnchanged) => {
      if (usable === undefined) {
        // Replaced meanwhile (what came in its place is looked at next), or set aside as damaged.
        if (!(await this.parts.manifest.isActive(file.id))) return [];
        throw damaged(file.path);
      }
      const visits = `(${archivedVisits([usable.local])}) WHERE ${isOf(people)}`;
      await this.parts.cleaner.gather(session, visits, expectUnchanged);
      const rows = await session.rows<Omit<FiledLoss, 'bucket'> & { bucketMs: number }>(
        `SELECT link_id::VARCHAR AS "linkId", bucket::DOUBLE AS "bucketMs", class::DOUBLE AS class,
           coalesce(group_id, '') AS "groupId",
           target_host AS "targetHost", short_host AS "shortHost", referrer_host AS "referrerHost", count(*)::DOUBLE AS visits, bit_xor(checksum)::VARCHAR AS checksum
         FROM ${visits} GROUP BY ALL`,
      );
      return rows.map(({ bucketMs, ...loss }) => ({ ...loss, bucket: new Date(bucketMs) }));
    });
  }
}

/** A month restored meanwhile has its rows in the ledger: then they go from there first. */
async function forgetIn(
  tx: Transaction,
  { forget, lost, keptFrom }: { forget: FiledErasure['forget']; lost: readonly FiledLoss[]; keptFrom: number },
): Promise<number> {
  const [row] = await tx.query<{ kept_from: Date }>(LOCK_KEPT_FROM);
  if (row?.kept_from.getTime() === keptFrom) return forget(tx, lost);
  throw new AppError('archive-moved-on', ARCHIVE_ERRORS['archive-moved-on'], { retryable: true });
}

function damaged(path: string): AppError {
  return new AppError('archive-file-damaged', ARCHIVE_ERRORS['archive-file-damaged'], { details: { path } });
}

function mayHold({ from, to }: ArchiveFile['period'], { fromMs, beforeMs }: People): boolean {
  return from < beforeMs && to > fromMs;
}

function isOf({ person, hashes, fromMs, beforeMs }: People): string {
  const times = [
    ...(Number.isFinite(fromMs) ? [`epoch_ms(occurred_at) >= ${fromMs}`] : []),
    ...(Number.isFinite(beforeMs) ? [`epoch_ms(occurred_at) < ${beforeMs}`] : []),
  ];
  return [`${person} IN (${hashes.map((hash) => `'${hash}'::BIGINT`).join(', ')})`, ...times].join(' AND ');
}
