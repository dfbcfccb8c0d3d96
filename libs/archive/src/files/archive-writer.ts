import { randomUUID } from 'node:crypto';

import { type InstantRange, toIso } from '@hopcount/ledger';
import { AppError, failpoint, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { ROW_GROUP_VISITS } from '../duckdb/row-groups.js';
import type { ArchiveLevel, NewArchiveFile, VisitSum } from '../manifest/archive-file.js';
import type { ArchiveManifest, ManifestChange } from '../manifest/archive-manifest.js';
import { type ArchiveStore, type StoredFile, withOpened } from '../store/archive-store.js';
import { SUMMARISED_VISITS, summarise } from '../summaries/link-summary.js';
import { addSummaries } from '../summaries/summary-block.js';
import { COLUMN_NAMES } from '../visit-columns.js';
import type { FolderMarker } from './folder-marker.js';
import type { WorkFolder } from './work-folder.js';

/** Nothing was committed. */
const REFUSALS = ['archive-moved-on', 'archive-file-changed', 'archive-folder-missing'] as const;

export interface Draft {
  level: ArchiveLevel;
  period: InstantRange;
  /** A DuckDB SELECT with the visits' columns. */
  visits: string;
  /** They come in a file's order; sorting is what takes longest. */
  sorted?: boolean;
  /** A DuckDB SELECT of link, bucket, visits and checksum: what the file has to hold, no more and no less. */
  expected: string;
}

/**
 * Brings a file into the archive: written aside, fsynced, renamed, read back and held against what is expected of
 * each link and bucket; then one transaction lets it count. Cut short before that, the file is nothing but disk.
 */
export class ArchiveWriter {
  constructor(
    private readonly parts: {
      work: WorkFolder;
      store: ArchiveStore;
      manifest: ArchiveManifest;
      marker: FolderMarker;
      /** From how many visits in a file a link has a summary there. */
      summarisedVisits?: number | undefined;
      /** Of links with so many visits together, summaries are made at once. */
      summarisedAtOnce?: number | undefined;
    },
  ) {}

  /**
   * @returns the file; undefined when there was nothing to keep
   * @throws AppError `archive-read-back-differs`, `archive-moved-on`, `archive-file-changed`: nothing changed
   */
  async publish(
    session: DuckSession,
    draft: Draft,
    change: Omit<ManifestChange, 'add' | 'folderId'>,
  ): Promise<NewArchiveFile | undefined> {
    const { store, manifest, marker } = this.parts;
    const add = await this.writeAside(session, draft, change.incarnation);
    failpoint('archive.before-commit');
    try {
      await manifest.change({ ...change, add, folderId: await marker.check() });
    } catch (error) {
      // Any other error may have come after the COMMIT: then the file counts, else it is removed in a day.
      const isRefused = REFUSALS.some((code) => isAppError(error, code));
      if (add !== undefined && isRefused) await store.remove(add.path);
      throw error;
    }
    failpoint('archive.after-commit');
    return add;
  }

  /** The first half of it: a file that does not count, which is removed in a day. @throws AppError `archive-read-back-differs` */
  async writeAside(session: DuckSession, draft: Draft, incarnation: string): Promise<NewArchiveFile | undefined> {
    await session.run(`CREATE OR REPLACE TEMP TABLE expected AS ${draft.expected}`);
    const sum = await sumExpected(session);
    if (sum === undefined) return undefined;
    const { work, store, summarisedVisits = SUMMARISED_VISITS, summarisedAtOnce } = this.parts;
    const id = randomUUID();
    const path = pathOf(id, draft, incarnation);
    const digest = await work.aside(async (aside) => {
      await session.run(`COPY (
        SELECT ${COLUMN_NAMES} FROM (${draft.visits}) ${draft.sorted === true ? '' : 'ORDER BY link_id, occurred_at, event_id'}
      ) TO ${quote(aside)} (
        FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_VISITS}, KV_METADATA ${metadata(draft, sum, incarnation)}
      )`);
      await addSummaries(aside, summarise(session, aside, 'expected', summarisedVisits, summarisedAtOnce));
      return store.put(aside, path);
    });
    try {
      return {
        ...sum,
        ...digest,
        id,
        path,
        level: draft.level,
        period: draft.period,
        hours: await this.#readBack(session, { id, path, sha256: digest.sha256 }),
      };
    } catch (error) {
      await store.remove(path);
      throw error;
    }
  }

  /** What is read is what the store hands out, and was just written. */
  async #readBack(session: DuckSession, file: StoredFile): Promise<NewArchiveFile['hours']> {
    return withOpened(this.parts.store, [file], { isKnown: () => true }, async ([opened]) => {
      const { path } = file;
      if (opened === undefined) throw differs({ path });
      const visits = archivedVisits([opened.local]);
      await session.run(`CREATE OR REPLACE TEMP TABLE written AS ${sumOf(`(${visits})`)}`);
      const [row] = await session.rows<{ different: number }>(
        `SELECT count(*)::DOUBLE AS different FROM expected FULL JOIN written USING (link_id, bucket)
         WHERE expected.visits IS DISTINCT FROM written.visits OR expected.checksum IS DISTINCT FROM written.checksum`,
      );
      if (row?.different !== 0) throw differs({ path, differentBuckets: row?.different });
      return hoursOf(session, 'written');
    });
  }
}

/** What a relation of link, bucket, visits and checksum adds up to by the hour. */
export function hoursOf(session: DuckSession, sums: string): Promise<NewArchiveFile['hours']> {
  return session.rows(
    `SELECT (bucket // 3600000 * 3600000)::DOUBLE AS hour, sum(visits)::DOUBLE AS visits, bit_xor(checksum) AS checksum
     FROM ${sums} GROUP BY 1 ORDER BY 1`,
  );
}

/** @returns undefined where no visit is expected */
async function sumExpected(session: DuckSession): Promise<VisitSum | undefined> {
  const [sum] = await session.rows<VisitSum & { buckets: number; impossible: number }>(
    `SELECT count(*)::DOUBLE AS buckets, (count(*) FILTER (visits <= 0))::DOUBLE AS impossible,
       sum(visits)::DOUBLE AS visits, bit_xor(checksum) AS checksum FROM expected`,
  );
  if (sum === undefined || sum.buckets === 0) return undefined;
  // Files hold more than the buckets say, and the ledger knows of all of it: one of the two is damaged.
  if (sum.impossible > 0) throw differs({ impossibleBuckets: sum.impossible });
  return { visits: sum.visits, checksum: sum.checksum };
}

function differs(details: Record<string, unknown>): AppError {
  return new AppError('archive-read-back-differs', ARCHIVE_ERRORS['archive-read-back-differs'], { details });
}

/** Each life of a ledger has a folder of its own: what another left is never taken for ours, nor removed. */
function pathOf(id: string, { level, period }: Draft, incarnation: string): string {
  const start = toIso(period.from);
  return `${incarnation}/${start.slice(0, 7)}/${level}-${start.slice(0, 13)}-${id}.parquet`;
}

/** So that a file says by itself what it is, also to others. */
function metadata({ level, period }: Draft, sum: VisitSum, incarnation: string): string {
  const entries = {
    format: 'hopcount-visits-1',
    level,
    period_start: toIso(period.from),
    period_end: toIso(period.to),
    visits: String(sum.visits),
    checksum: String(sum.checksum),
    incarnation,
  };
  return `{${Object.entries(entries)
    .map(([key, value]) => `${key}: ${quote(value)}`)
    .join(', ')}}`;
}
