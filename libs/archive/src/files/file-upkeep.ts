import { DAY_MS, HOUR_MS, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import { Attempts, type Failure } from '../attempts.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { DamagedFile } from '../manifest/damaged-file.js';
import type { ArchiveStore } from '../store/archive-store.js';
import type { CheckedFiles } from './checked-files.js';
import type { WorkFolder } from './work-folder.js';

const LIST_REMOVABLE = loadSql(import.meta.url, 'sql/list-removable.sql');
const LIST_DAMAGED = `SELECT id, path, encode(sha256, 'hex') AS sha256 FROM archive_files
  WHERE state = 'damaged' AND deleted_at IS NULL ORDER BY random() LIMIT $1`;
const LIST_UNCHECKED = loadSql(import.meta.url, 'sql/list-unchecked.sql');

/** Longer than any question may take: who read the manifest before has closed the file by then. */
const READERS_GONE_MS = HOUR_MS;
/** For whoever wants to look at what happened to it. */
const DAMAGED_KEPT_MS = 7 * DAY_MS;
/** Longer than a writer needs from the file's name to the manifest. */
const UNKNOWN_KEPT_MS = DAY_MS;
const ROWS_KEPT = '30 days';
const CHECKED_AT_ONCE = 100;

export interface RemovalReport {
  /** Replaced or damaged. */
  ended: number;
  /** Written by someone who was killed before they counted. */
  unknown: number;
}

export interface ScrubReport {
  checked: number;
  failed: Failure[];
}

/** What becomes of files that do not count any more, and a look at those that do. */
export class FileUpkeep {
  constructor(
    private readonly parts: {
      database: Database;
      work: WorkFolder;
      store: ArchiveStore;
      manifest: ArchiveManifest;
      files: CheckedFiles;
    },
  ) {}

  /** The file first, then its row: killed between, the next run does it again. */
  async remove(nowMs: number): Promise<RemovalReport> {
    const { database, store } = this.parts;
    const removable = await database.query<{ id: string; path: string }>(LIST_REMOVABLE, [
      toIso(nowMs - READERS_GONE_MS),
      toIso(nowMs - DAMAGED_KEPT_MS),
    ]);
    for (const { id, path } of removable) {
      await store.remove(path);
      await database.query('UPDATE archive_files SET deleted_at = now() WHERE id = $1', [id]);
    }
    await database.query(`DELETE FROM archive_files WHERE deleted_at < now() - interval '${ROWS_KEPT}'`);
    return { ended: removable.length, unknown: await this.#removeUnknown(nowMs) };
  }

  /** Reads files that were not looked at for a time; damaged ones are set aside. One that cannot be opened delays only itself. */
  async scrub(nowMs: number, signal?: AbortSignal): Promise<ScrubReport> {
    const { database, store, files } = this.parts;
    const before = toIso(nowMs - store.scrubEveryMs);
    const unchecked = await database.query<{ id: string; path: string; sha256: string; visits: number }>(
      LIST_UNCHECKED,
      [before, CHECKED_AT_ONCE],
    );
    const attempts = new Attempts(signal);
    const report: ScrubReport = { checked: 0, failed: attempts.failed };
    for (const file of unchecked) {
      await attempts.run(file.path, async () => {
        await files.check(file);
        await database.query('UPDATE archive_files SET checked_at = now() WHERE id = $1', [file.id]);
        report.checked += 1;
      });
    }
    await this.reinstate(attempts);
    return report;
  }

  /** What could not be read for a while (being copied, a disk that came back, brought back from a backup) may be whole. */
  async reinstate(attempts = new Attempts()): Promise<void> {
    const { database, store, manifest } = this.parts;
    const damaged = await database.query<{ id: string; path: string; sha256: string }>(LIST_DAMAGED, [CHECKED_AT_ONCE]);
    const whole = new Set<string>();
    for (const { id, path, sha256 } of damaged) {
      await attempts.run(path, async () => {
        if ((await store.digest(path))?.sha256 === sha256 && !(await manifest.reinstate([id]))) whole.add(id);
      });
    }
    // Of those that share an hour none alone is what the buckets say.
    const lost = (await manifest.damaged()).filter(({ id, heldBy }) => heldBy !== 'archive' && whole.has(id));
    for (const files of overlapping(lost)) {
      const paths = files.map(({ path }) => path).join(', ');
      await attempts.run(paths, async () => void (await manifest.reinstate(files.map(({ id }) => id))));
    }
  }

  /** Only of this life of the ledger: of another's files this database knows nothing. */
  async #removeUnknown(nowMs: number): Promise<number> {
    const { database, work, store, manifest } = this.parts;
    await work.clear(nowMs - UNKNOWN_KEPT_MS);
    const paths = await store.olderThan(await manifest.incarnation(), nowMs - UNKNOWN_KEPT_MS);
    const unknown = await database.query<{ path: string }>(
      `SELECT path FROM unnest($1::text[]) AS found (path)
       WHERE NOT EXISTS (SELECT FROM archive_files AS file WHERE file.path = found.path AND file.deleted_at IS NULL)`,
      [paths],
    );
    for (const { path } of unknown) await store.remove(path);
    return unknown.length;
  }
}

/** Those whose periods overlap, together. */
function overlapping(files: readonly DamagedFile[]): DamagedFile[][] {
  const groups: DamagedFile[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const file of [...files].sort((a, b) => a.period.from - b.period.from)) {
    if (file.period.from >= end) groups.push([]);
    groups.at(-1)?.push(file);
    end = Math.max(end, file.period.to);
  }
  return groups;
}
