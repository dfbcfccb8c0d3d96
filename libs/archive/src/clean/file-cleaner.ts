import type { Database } from '@hopcount/postgres';

import type { Attempts } from '../attempts.js';
import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import type { ArchiveWriter } from '../files/archive-writer.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import { ALL_TIME, type ArchiveManifest, type ManifestChange } from '../manifest/archive-manifest.js';
import { loadPurges } from '../seal/ledger-copies.js';
import type { ExpectUnchanged } from '../store/archive-store.js';
import { purgedAmong } from './purged-visits.js';

export interface CleanParts {
  database: Database;
  work: WorkFolder;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  writer: ArchiveWriter;
}

/** Every name of a file ends with its id, wherever it lies. */
const FILE_ID = `regexp_extract(filename, '([0-9a-f-]{36})\\.parquet$', 1)`;

/** Takes visits out of files that the ledger has no more. What is to go is gathered first, so a file is written once. */
export class FileCleaner {
  constructor(private readonly parts: CleanParts) {}

  async begin(session: DuckSession): Promise<void> {
    await session.run(
      'CREATE TEMP TABLE gone (event_id UUID, link_id BIGINT, bucket BIGINT, checksum BIGINT, file VARCHAR)',
    );
  }

  /** Of a relation that has these columns, too. Where its files were written to meanwhile, nothing is gathered. */
  async gather(session: DuckSession, visits: string, expectUnchanged: ExpectUnchanged): Promise<void> {
    await session.run(
      `CREATE OR REPLACE TEMP TABLE gathered AS SELECT event_id, link_id, bucket, checksum, ${FILE_ID} AS file FROM ${visits}`,
    );
    await expectUnchanged();
    await session.run('INSERT INTO gone FROM gathered');
    await session.run('DROP TABLE gathered');
  }

  /**
   * What is before the purge of its link, in files with visits of these hours. They are sorted: little of each is read.
   * Of a bucket that a purge cuts in two, where the ledger is dropped, only `gatherSurplus` knows: the buckets have lost
   * those visits if the month was dropped afterwards, and kept them if it was gone by then.
   */
  async gatherPurged(session: DuckSession, hours: readonly number[]): Promise<void> {
    const { manifest, files } = this.parts;
    const touched = (await manifest.files(ALL_TIME)).filter(({ period: { from, to } }) =>
      hours.some((hour) => hour >= from && hour < to),
    );
    if (touched.length === 0) return;
    if ((await this.#loadPurges(session)) === 0) return;
    const keptFrom = await manifest.keptFrom();
    for (const file of touched) {
      await files.use([file], async (usable, expectUnchanged) => {
        const visits = archivedVisits(usable.map(({ local }) => local));
        await this.gather(session, purgedAmong(visits, keptFrom), expectUnchanged);
      });
    }
  }

  /** Of `held` (visits where files and buckets disagree), where the ledger cannot say any more which are too many. */
  async gatherSurplus(session: DuckSession, expectUnchanged: ExpectUnchanged): Promise<void> {
    if ((await this.#loadPurges(session)) === 0) return;
    await this.gather(session, 'held JOIN purges USING (link_id) WHERE event_time < purged_before', expectUnchanged);
  }

  #loadPurges(session: DuckSession): Promise<number> {
    return this.parts.work.aside((path) => loadPurges(this.parts.database, session, path));
  }

  /**
   * Writes the files anew without what was gathered, and forgets it. `also`: what changes with each file, in the transaction
   * that replaces it. @returns how many visits went
   */
  async clean(session: DuckSession, attempts: Attempts, also?: ManifestChange['also']): Promise<number> {
    let removed = 0;
    const rows = await session.rows<{ file: string }>('SELECT DISTINCT file FROM gone ORDER BY file');
    for (const { file } of rows) {
      await attempts.run(`file ${file}`, async () => {
        removed += await this.#cleanFile(session, file, also);
      });
    }
    await session.run('TRUNCATE gone');
    return removed;
  }

  async #cleanFile(session: DuckSession, id: string, also: ManifestChange['also']): Promise<number> {
    const { manifest, files, writer } = this.parts;
    const incarnation = await manifest.incarnation();
    const file = (await manifest.files(ALL_TIME)).find((one) => one.id === id);
    // Replaced meanwhile, or damaged (also since it was first opened): the next run looks at what came in its place.
    if (file === undefined) return 0;
    const write = async ([opened]: { local: string }[], expectUnchanged: ExpectUnchanged) => {
      if (opened === undefined) return 0;
      const held = `(${archivedVisits([opened.local])})`;
      const gone = `(SELECT * FROM gone WHERE file = ${quote(id)})`;
      const draft = {
        level: file.level,
        period: file.period,
        visits: `SELECT * FROM ${held} ANTI JOIN ${gone} USING (event_id)`,
        // As the file has them: sorted anew, those of a busy hour took more memory than there may be.
        sorted: true,
        expected: `SELECT link_id, bucket, sum(visits)::BIGINT AS visits, bit_xor(checksum) AS checksum
          FROM (${sumOf(held)} UNION ALL SELECT link_id, bucket, -1, checksum FROM ${gone})
          GROUP BY link_id, bucket HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0`,
      };
      const rest = await writer.publish(session, draft, { replace: [id], incarnation, also, expectUnchanged });
      return file.visits - (rest?.visits ?? 0);
    };
    return files.use([file], write, { anew: true });
  }
}
