import { HOUR_MS, type InstantRange, noteDoubted, toIso } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import { isAppError, type OnStep } from '@hopcount/runtime';

import { purgedAmong } from '../clean/purged-visits.js';
import { archivedVisits } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { FiledSums } from '../filed-sums/filed-sums.js';
import type { ArchiveFile, NewArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { DamagedFile } from '../manifest/damaged-file.js';
import { monthAt } from '../months.js';
import { compareWith, copyKept, loadPurges, prepareCopies } from '../seal/ledger-copies.js';
import type { LocalFile } from '../store/archive-store.js';
import { compareSummaries } from './compare-summaries.js';

export interface ArchiveDifference {
  /** A file's path, or an hour. */
  where: string;
  check: 'sha-256' | 'manifest' | 'summaries' | 'buckets' | 'classes' | 'groups' | 'hosts';
  expected: string;
  actual: string;
}

export interface ArchiveVerification {
  differences: ArchiveDifference[];
  files: number;
  visits: number;
  /** Buckets in files (of a link, 15 minutes and a class), each compared with what PostgreSQL has. */
  buckets: number;
  /** Closed hours that files do not hold as the buckets say, yet: they are answered from the ledger. */
  dueHours: number[];
  /** Visits before the purge of their link that are still in files: gone with the next sealing. */
  purgedVisits: number;
}

export interface VerifyParts {
  database: Database;
  work: WorkFolder;
  files: CheckedFiles;
  manifest: ArchiveManifest;
  duck: DuckDatabase;
  filedSums: Pick<FiledSums, 'differences'>;
}

export interface ArchiveVerifyOptions {
  /** Goes on where another one was: months that ended by then are left out. */
  from?: number | undefined;
  onStep?: OnStep | undefined;
  /** Aborted, it ends with an error before the next file, in the middle of a statement of DuckDB. */
  signal?: AbortSignal | undefined;
  /** After each month, with its end and the report so far; waited for. */
  onMonth?: ((verifiedTo: number, report: ArchiveVerification) => Promise<void>) | undefined;
}

/** Somebody waits for it, unlike for what else is done here. */
const TWO_THREADS = 'SET threads = 2';
/** What holds up when another worker replaces a file between the list and its reading. */
const ATTEMPTS = 3;

/**
 * Reads every file and holds it against its SHA-256, the manifest and the buckets, and its summaries against its rows,
 * and of dropped months sums by group and host against what files say: two months at a time (each has
 * stretches in which it waits for PostgreSQL or for one thread), in a snapshot of its own, so that none is held for longer than those take.
 * Sums of a month that differs are in doubt from then on.
 */
export class ArchiveVerifier {
  constructor(private readonly parts: VerifyParts) {}

  async verify(closedBefore: number, options: ArchiveVerifyOptions = {}): Promise<ArchiveVerification> {
    const { database, work, manifest, duck } = this.parts;
    const { onStep = () => undefined, onMonth = () => Promise.resolve() } = options;
    const report: ArchiveVerification = {
      differences: [],
      files: 0,
      visits: 0,
      buckets: 0,
      dueHours: [],
      purgedVisits: 0,
    };
    const begin = Math.max((await manifest.begin()) ?? closedBefore, options.from ?? Number.NEGATIVE_INFINITY);
    const months: InstantRange[] = [];
    for (let month = monthAt(begin); month.from < closedBefore; month = monthAt(month.to)) months.push(month);
    let begun = 0;
    await duck.session(
      (session) =>
        session.beside(async (second) => {
          const sessions = [session, second];
          await session.run(TWO_THREADS);
          for (const each of sessions) await work.aside((path) => loadPurges(database, each, path));
          const next = inOrder(months, sessions, (on, { from, to }) => {
            onStep(toIso(from).slice(0, 7), begun, months.length);
            begun += 1;
            return this.#verifyMonth(on, { from, to: Math.min(to, closedBefore) });
          });
          for await (const [month, found] of next) {
            addTo(report, found);
            await onMonth(month.to, report);
          }
        }),
      options.signal,
    );
    return report;
  }

  async #verifyMonth(session: DuckSession, range: InstantRange): Promise<ArchiveVerification> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const found = await this.#verifyOnce(session, range);
        if (found.isOutdated && attempt < ATTEMPTS) continue;
        const { report } = found;
        report.differences.push(...(await this.parts.filedSums.differences(range, session)));
        if (areSumsDoubted(report)) await noteDoubted(this.parts.database, { checks: ['archive'], range });
        return report;
      } catch (error) {
        if (!isAppError(error, 'archive-file-changed') || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** `isOutdated`: a file that could not be read was replaced since the list was made, and gone an hour after that. */
  async #verifyOnce(session: DuckSession, range: InstantRange) {
    const { database, work, manifest } = this.parts;
    return work.aside((kept) =>
      database.transaction(
        async (tx) => {
          await prepareCopies(tx);
          const files = await manifest.files(range, tx);
          const lost = (await manifest.damaged(tx)).filter((file) => isLost(file, range));
          // PostgreSQL copies while files are hashed and read: each takes about as long as the other.
          const [copied, read] = await Promise.allSettled([
            copyKept(tx, session, range, kept),
            this.#readFiles(session, range, files),
          ]);
          // Both have ended by now: the session must not be closed under a statement.
          if (copied.status === 'rejected') throw copied.reason;
          if (read.status === 'rejected') throw read.reason;
          const { isOutdated } = read.value;
          const report = await this.#compareMonth(tx, session, { range, kept, ...read.value });
          report.differences.unshift(...lost.map(differsInBytes));
          return { isOutdated, report };
        },
        { isolation: 'REPEATABLE READ', readOnly: true },
      ),
    );
  }

  /** Those that are what was sealed are added up (`sums`); the others are set aside. */
  async #readFiles(session: DuckSession, range: InstantRange, listed: readonly ArchiveFile[]): Promise<FilesRead> {
    const { files, manifest } = this.parts;
    const good: ArchiveFile[] = [];
    for (const file of listed) {
      session.signal?.throwIfAborted();
      if (await files.check(file)) good.push(file);
    }
    return files.use(good, async (usable) => {
      const damaged = listed.filter(({ id }) => usable.every((file) => file.id !== id));
      const isOutdated = !(await manifest.areDamaged(damaged.map(({ id }) => id)));
      const { hours, differences } = await this.#sumFiles(session, usable);
      const paths = usable.map(({ local }) => local);
      const purged = purgedAmong(archivedVisits(paths, range), await manifest.keptFrom());
      const purgedVisits = await countOf(session, purged);
      return { isOutdated, usable, hours, purgedVisits, differences: [...damaged.map(differsInBytes), ...differences] };
    });
  }

  async #compareMonth(
    tx: Transaction,
    session: DuckSession,
    { range, kept, usable, hours, differences, purgedVisits }: FilesRead & { range: InstantRange; kept: string },
  ): Promise<ArchiveVerification> {
    const { manifest } = this.parts;
    for (const [n, file] of usable.entries()) {
      const held = hours[n] ?? [];
      const [expected = '', actual = ''] = [await manifest.hoursOf(file.id, tx), held].map(textOf);
      if (expected !== actual) differences.push({ where: file.path, check: 'manifest', expected, actual });
    }
    await session.run(
      `CREATE OR REPLACE TEMP VIEW filed AS SELECT link_id, bucket, class, visits, checksum FROM sums
       WHERE bucket >= ${range.from} AND bucket < ${range.to}`,
    );
    const differing = await compareWith(session, kept, 'link_id, bucket, class');
    // Where no bucket differs, and files are what the manifest says, no hour does.
    const isWhole = differing === 0 && differences.length === 0;
    const dueHours = isWhole ? [] : await manifest.dueHours(range, tx);
    differences.push(...(await differencesOutside(session, dueHours)));
    return {
      differences,
      files: usable.length,
      visits: usable.reduce((sum, file) => sum + file.visits, 0),
      buckets: await countOf(session, 'filed'),
      dueHours,
      purgedVisits,
    };
  }

  /** Makes `sums`: what each file (its number) holds of each link, bucket and class. Hours and days are added up from it. */
  async #sumFiles(session: DuckSession, usable: readonly LocalFile<ArchiveFile>[]) {
    const visitsOf = (paths: readonly string[], number: number) =>
      `SELECT ${number} AS file, link_id, bucket, class, count(*) AS visits, bit_xor(checksum) AS checksum
       FROM (${archivedVisits(paths)}) GROUP BY link_id, bucket, class`;
    await session.run(`CREATE OR REPLACE TEMP TABLE sums AS ${visitsOf([], 0)}`);
    for (const [n, { local }] of usable.entries()) await session.run(`INSERT INTO sums ${visitsOf([local], n)}`);
    const rows = await session.rows<HourSum & { file: number }>(
      `SELECT file, (bucket // ${HOUR_MS} * ${HOUR_MS})::DOUBLE AS hour, sum(visits)::DOUBLE AS visits, bit_xor(checksum) AS checksum
       FROM sums GROUP BY 1, 2 ORDER BY 2`,
    );
    const hours = usable.map((): HourSum[] => []);
    for (const { file, ...hour } of rows) hours[file]?.push(hour);
    const differences: ArchiveDifference[] = [];
    for (const [n, file] of usable.entries()) {
      const sums = `(SELECT * FROM sums WHERE file = ${n})`;
      differences.push(...(await compareSummaries(session, this.parts.work, { ...file, sums })));
    }
    return { hours, differences };
  }
}

type HourSum = NewArchiveFile['hours'][number];

interface FilesRead {
  isOutdated: boolean;
  usable: readonly ArchiveFile[];
  /** Of each usable file, in their order. */
  hours: HourSum[][];
  differences: ArchiveDifference[];
  purgedVisits: number;
}

/** Results in the order of the items, while those after them are under way: as many at a time as there are sessions. */
async function* inOrder<Item, Session, Result>(
  items: readonly Item[],
  sessions: readonly Session[],
  work: (session: Session, item: Item) => Promise<Result>,
): AsyncGenerator<[Item, Result]> {
  const underWay: Promise<Result>[] = [];
  try {
    for (const [n, item] of items.entries()) {
      for (let ahead = n + underWay.length; underWay.length < sessions.length && ahead < items.length; ahead += 1) {
        const result = work(sessions[ahead % sessions.length] as Session, items[ahead] as Item);
        // One before it may fail first: then nobody asks for this one.
        void result.catch(() => undefined);
        underWay.push(result);
      }
      const result = await (underWay[0] as Promise<Result>);
      void underWay.shift();
      yield [item, result];
    }
  } finally {
    // A session must not be closed under a statement.
    await Promise.allSettled(underWay);
  }
}

function addTo(sum: ArchiveVerification, more: ArchiveVerification): void {
  sum.differences.push(...more.differences);
  sum.dueHours.push(...more.dueHours);
  sum.files += more.files;
  sum.visits += more.visits;
  sum.buckets += more.buckets;
  sum.purgedVisits += more.purgedVisits;
}

/**
 * Not by a damaged file: it is out of use, what it held is answered by others or not exactly, and the differences from buckets that come with
 * it say no more. Sums by group and host are compared only where files hold all that was counted.
 */
function areSumsDoubted({ differences }: ArchiveVerification): boolean {
  const isDamaged = differences.some(({ check }) => check === 'sha-256');
  return differences.some(({ check }) => check === 'groups' || check === 'hosts' || !isDamaged);
}

/** Known to be damaged, and no other file holds what it held. */
function isLost({ heldBy, period }: DamagedFile, { from, to }: InstantRange): boolean {
  return heldBy !== 'archive' && period.from < to && period.to > from;
}

function differsInBytes({ path, sha256 }: Pick<ArchiveFile, 'path' | 'sha256'>): ArchiveDifference {
  return { where: path, check: 'sha-256', expected: sha256, actual: 'another one, missing or unreadable' };
}

/** In hours of which number and checksum as a whole agree. */
async function differencesOutside(session: DuckSession, due: readonly number[]): Promise<ArchiveDifference[]> {
  const rows = await session.rows<{ hour: number; check: 'buckets' | 'classes'; buckets: number; visits: number }>(
    `SELECT (bucket // ${HOUR_MS} * ${HOUR_MS})::DOUBLE AS hour, count(*)::DOUBLE AS buckets, sum(visits)::DOUBLE AS visits, "check"
     FROM (
       SELECT bucket, sum(visits) AS visits,
         CASE WHEN sum(visits) = 0 AND bit_xor(checksum) = 0 THEN 'classes' ELSE 'buckets' END AS "check"
       FROM differing GROUP BY link_id, bucket
     ) GROUP BY hour, "check" ORDER BY hour, "check"`,
  );
  const isDue = new Set(due);
  return rows
    .filter(({ hour }) => !isDue.has(hour))
    .map(({ hour, check, buckets, visits }) => ({
      where: toIso(hour),
      check,
      expected: 'as link_traffic',
      actual: `${buckets} links and buckets differ, ${check === 'classes' ? 'in classes alone' : `${visits} visits in all`}`,
    }));
}

async function countOf(session: DuckSession, relation: string): Promise<number> {
  const [row] = await session.rows<{ n: number }>(`SELECT count(*)::DOUBLE AS n FROM ${relation}`);
  return row?.n ?? 0;
}

function textOf(hours: readonly HourSum[]): string {
  return hours.map(({ hour, visits, checksum }) => `${new Date(hour).toISOString()} ${visits} ${checksum}`).join('; ');
}
