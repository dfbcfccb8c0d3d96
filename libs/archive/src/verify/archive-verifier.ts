import { BUCKET_MS, DAY_MS, type InstantRange } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';

import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import { hoursOf } from '../files/archive-writer.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ALL_TIME, type ArchiveManifest } from '../manifest/archive-manifest.js';
import { compare, loadPurges, prepareCopies } from '../seal/ledger-copies.js';
import { type ArchiveStore, withOpened } from '../store/archive-store.js';

const STEP_MS = 31 * DAY_MS;
/** Without the halves of buckets that were cut in two after the ledger had dropped them: those were kept. */
const purgedSince = (keptFrom: number) =>
  `archived JOIN purges USING (link_id) WHERE epoch_ms(occurred_at) < purged_before
    AND (bucket + ${BUCKET_MS} <= purged_before OR bucket >= ${Number.isFinite(keptFrom) ? keptFrom : 0})`;

export interface ArchiveDifference {
  /** A file's path, or an hour. */
  where: string;
  check: 'sha-256' | 'manifest' | 'buckets';
  expected: string;
  actual: string;
}

export interface ArchiveVerification {
  differences: ArchiveDifference[];
  files: number;
  visits: number;
  /** Links and 15 minutes compared with the buckets. */
  buckets: number;
  /** Closed hours that files do not hold as the buckets say, yet: they are answered from the ledger. */
  dueHours: number[];
  /** Visits before the purge of their link that are still in files: gone with the next sealing. */
  purgedVisits: number;
}

export interface VerifyParts {
  database: Database;
  work: WorkFolder;
  store: ArchiveStore;
  manifest: ArchiveManifest;
  duck: DuckDatabase;
}

/** Reads every file and holds it against its SHA-256, the manifest and the buckets; one snapshot for each month. */
export class ArchiveVerifier {
  constructor(private readonly parts: VerifyParts) {}

  async verify(
    closedBefore: number,
    onProgress: (step: string) => void = () => undefined,
  ): Promise<ArchiveVerification> {
    const report: ArchiveVerification = {
      differences: [],
      files: 0,
      visits: 0,
      buckets: 0,
      dueHours: [],
      purgedVisits: 0,
    };
    const { database, work, manifest, duck } = this.parts;
    await duck.session(async (session) => {
      for (const file of await manifest.files(ALL_TIME)) {
        onProgress(file.path);
        const differences = await this.#checkFile(session, file);
        // Replaced since the list was read, and gone an hour after that.
        if (differences.length > 0 && !(await manifest.isActive(file.id))) continue;
        report.differences.push(...differences);
        report.files += 1;
        report.visits += file.visits;
      }
      await work.aside((path) => loadPurges(database, session, path));
      const begin = (await manifest.begin()) ?? closedBefore;
      for (let from = begin - (begin % DAY_MS); from < closedBefore; from += STEP_MS) {
        onProgress(`buckets from ${new Date(from).toISOString()}`);
        await this.#checkBuckets(session, { from, to: Math.min(from + STEP_MS, closedBefore) }, report);
      }
    });
    return report;
  }

  async #checkFile(session: DuckSession, file: ArchiveFile): Promise<ArchiveDifference[]> {
    const { store, manifest } = this.parts;
    const digest = await store.digest(file.path);
    const differs = (actual: string): ArchiveDifference[] => [
      { where: file.path, check: 'sha-256', expected: file.sha256, actual },
    ];
    if (digest?.sha256 !== file.sha256) return differs(digest?.sha256 ?? 'missing or unreadable');
    return withOpened(store, [file], { isKnown: () => true }, async ([opened]) => {
      if (opened === undefined) return differs('missing or unreadable');
      const sums = sumOf(`(${archivedVisits([opened.local])})`);
      const [expected, actual] = [await manifest.hoursOf(file.id), await hoursOf(session, `(${sums})`)].map(textOf);
      if (expected === actual) return [];
      return [{ where: file.path, check: 'manifest', expected: expected ?? '', actual: actual ?? '' }];
    });
  }

  /** Buckets of the range against what the files of the same snapshot hold of it. */
  async #checkBuckets(session: DuckSession, range: InstantRange, report: ArchiveVerification): Promise<void> {
    const { database, work, store, manifest } = this.parts;
    await work.aside((kept) =>
      database.transaction(
        async (tx) => {
          await prepareCopies(tx);
          const files = await manifest.files(range, tx);
          await withOpened(store, files, { isKnown: () => false }, async (usable) => {
            const paths = usable.map(({ local }) => local);
            await session.run(`CREATE OR REPLACE TEMP VIEW archived AS ${archivedVisits(paths, range)}`);
            await session.run(`CREATE OR REPLACE TEMP TABLE filed AS ${sumOf('archived')}`);
            const due = await manifest.dueHours(range, tx);
            report.dueHours.push(...due);
            await compare(tx, session, range, kept);
            report.differences.push(...(await differencesOutside(session, due)));
            report.buckets += await countOf(session, 'kept');
            report.purgedVisits += await countOf(session, purgedSince(await manifest.keptFrom()));
          });
        },
        { isolation: 'REPEATABLE READ', readOnly: true },
      ),
    );
  }
}

/** In hours of which number and checksum as a whole agree. */
async function differencesOutside(session: DuckSession, due: readonly number[]): Promise<ArchiveDifference[]> {
  const rows = await session.rows<{ hour: number; buckets: number; visits: number }>(
    `SELECT (bucket // 3600000 * 3600000)::DOUBLE AS hour, count(*)::DOUBLE AS buckets, sum(visits)::DOUBLE AS visits
     FROM differing GROUP BY 1 ORDER BY 1`,
  );
  const isDue = new Set(due);
  return rows
    .filter(({ hour }) => !isDue.has(hour))
    .map(({ hour, buckets, visits }) => ({
      where: new Date(hour).toISOString(),
      check: 'buckets',
      expected: 'as link_traffic',
      actual: `${buckets} links and buckets differ, ${visits} visits in all`,
    }));
}

async function countOf(session: DuckSession, relation: string): Promise<number> {
  const [row] = await session.rows<{ n: number }>(`SELECT count(*)::DOUBLE AS n FROM ${relation}`);
  return row?.n ?? 0;
}

function textOf(hours: { hour: number; visits: number; checksum: bigint }[]): string {
  return hours.map(({ hour, visits, checksum }) => `${new Date(hour).toISOString()} ${visits} ${checksum}`).join('; ');
}
