import { HOUR_MS, type InstantRange } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { endsRun } from '../ends-run.js';
import type { ArchiveFolder } from '../files/archive-folder.js';
import type { ArchiveWriter } from '../files/archive-writer.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ALL_TIME, type ArchiveManifest } from '../manifest/archive-manifest.js';
import { readLedgerHour } from './ledger-hour.js';

const FIND_HELD = loadSql(import.meta.url, 'sql/find-held.sql');
const FIND_SURPLUS = loadSql(import.meta.url, 'sql/find-surplus.sql');
/** Spares the second reading of an hour's rows. */
const NO_SURPLUS = 'CREATE OR REPLACE TEMP TABLE surplus AS SELECT * FROM held';
const EXPECT_MISSING = loadSql(import.meta.url, 'sql/expect-missing.sql');

/** In DuckDB: visits of files the ledger has no more, of all hours of this run. */
const GATHERED = 'gathered';

export interface SealParts {
  database: Database;
  folder: ArchiveFolder;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  writer: ArchiveWriter;
  duck: DuckDatabase;
}

export interface SealReport {
  /** Hours of which something was sealed. */
  hours: number;
  visits: number;
  /** Visits taken out of files: purged ones. */
  removedVisits: number;
  failed: { what: string; error: unknown }[];
}

/**
 * Seals what files lack of closed hours. What that is, is arithmetic: where the files' number and checksum of a link
 * and bucket are not those of `link_traffic`, the ledger's rows are compared by event id; what is missing becomes a
 * file of its own, what is too much (purged since) is left out of its file, written anew. So late visits, purges
 * and files that were set aside need no message to anyone, and doing it twice changes nothing.
 */
export class VisitSealer {
  constructor(private readonly parts: SealParts) {}

  /** One that fails delays only itself. @throws when PostgreSQL is away */
  async seal(hours: readonly number[], signal?: AbortSignal): Promise<SealReport> {
    const report: SealReport = { hours: 0, visits: 0, removedVisits: 0, failed: [] };
    const attempt = async (what: string, work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        if (endsRun(error, signal)) throw error;
        report.failed.push({ what, error });
      }
    };
    if (hours.length === 0) return report;
    await this.parts.duck.session(async (session) => {
      await session.run(
        `CREATE TEMP TABLE ${GATHERED} (event_id UUID, link_id BIGINT, bucket BIGINT, checksum BIGINT, filename VARCHAR)`,
      );
      for (const hour of hours) {
        if (signal?.aborted === true) return;
        await attempt(new Date(hour).toISOString(), async () => {
          const visits = await this.#sealHour(session, { from: hour, to: hour + HOUR_MS });
          report.hours += visits > 0 ? 1 : 0;
          report.visits += visits;
        });
      }
      for (const path of await gatheredPaths(session)) {
        if (signal?.aborted === true) return;
        await attempt(path, async () => {
          report.removedVisits += await this.#cleanFile(session, path);
        });
      }
    }, signal);
    return report;
  }

  /** @returns how many visits were sealed */
  async #sealHour(session: DuckSession, hour: InstantRange): Promise<number> {
    const { database, folder, manifest, files, writer } = this.parts;
    const incarnation = await manifest.incarnation();
    const usable = await files.usable(await manifest.files(hour));
    await session.run(`CREATE OR REPLACE TEMP VIEW archived AS ${archivedVisits(pathsOf(folder, usable), hour)}`);
    await session.run(`CREATE OR REPLACE TEMP TABLE filed AS ${sumOf('archived')}`);
    return folder.aside((kept) =>
      folder.aside(async (ledger) => {
        if ((await readLedgerHour(database, session, hour, { kept, ledger })) === 0) return 0;
        await session.run(FIND_HELD);
        await session.run(usable.length === 0 ? NO_SURPLUS : FIND_SURPLUS);
        const visits = `SELECT * FROM ledger SEMI JOIN differing USING (link_id, bucket) ANTI JOIN held USING (event_id)`;
        const draft = { level: 'hour' as const, period: hour, visits, expected: EXPECT_MISSING };
        const among = new Set(usable.map(({ id }) => id));
        const file = await writer.publish(session, draft, { replace: [], among, incarnation });
        await session.run(`INSERT INTO ${GATHERED} SELECT event_id, link_id, bucket, checksum, filename FROM surplus`);
        return file?.visits ?? 0;
      }),
    );
  }

  /** Writes a file anew without what was gathered of it. @returns how many visits went */
  async #cleanFile(session: DuckSession, path: string): Promise<number> {
    const { folder, manifest, files, writer } = this.parts;
    const incarnation = await manifest.incarnation();
    const active = await manifest.files(ALL_TIME);
    const file = active.find((one) => folder.pathOf(one.path) === path);
    if (file === undefined || (await files.usable([file])).length === 0) return 0; // replaced meanwhile: the next run looks at its successor
    const gone = `(SELECT * FROM ${GATHERED} WHERE filename = ${quote(path)})`;
    const visits = `SELECT * FROM (${archivedVisits([path])}) ANTI JOIN ${gone} USING (event_id)`;
    const expected = `SELECT link_id, bucket, sum(visits)::BIGINT AS visits, bit_xor(checksum) AS checksum
      FROM (${sumOf(`(${archivedVisits([path])})`)} UNION ALL SELECT link_id, bucket, -1, checksum FROM ${gone})
      GROUP BY link_id, bucket HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0`;
    const draft = { level: file.level, period: file.period, visits, expected };
    const rest = await writer.publish(session, draft, { replace: [file.id], incarnation });
    return file.visits - (rest?.visits ?? 0);
  }
}

function pathsOf(folder: ArchiveFolder, files: readonly ArchiveFile[]): string[] {
  return files.map(({ path }) => folder.pathOf(path));
}

async function gatheredPaths(session: DuckSession): Promise<string[]> {
  const rows = await session.rows<{ filename: string }>(`SELECT DISTINCT filename FROM ${GATHERED} ORDER BY filename`);
  return rows.map(({ filename }) => filename);
}
