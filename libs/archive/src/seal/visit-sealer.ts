import { DAY_MS, floorTo, HOUR_MS, type InstantRange, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import { Attempts, type Failure } from '../attempts.js';
import type { FileCleaner } from '../clean/file-cleaner.js';
import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import type { ArchiveWriter } from '../files/archive-writer.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile, ArchiveLevel, NewArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ExpectUnchanged, LocalFile } from '../store/archive-store.js';
import { type Copied, CopyAhead } from './copy-ahead.js';
import { loadCopies, readLedgerHour } from './ledger-copies.js';
import { planStretches } from './plan-stretches.js';

const FIND_HELD = loadSql(import.meta.url, 'sql/find-held.sql');
const FIND_SURPLUS = loadSql(import.meta.url, 'sql/find-surplus.sql');
/** Spares the second reading of an hour's rows. */
const NO_SURPLUS = 'CREATE OR REPLACE TEMP TABLE surplus AS SELECT * FROM held';
const MISSING = 'SELECT * FROM ledger SEMI JOIN differing USING (link_id, bucket) ANTI JOIN held USING (event_id)';
const EXPECT_MISSING = loadSql(import.meta.url, 'sql/expect-missing.sql');

/** Of stretches: with the one that is written, rows of three are on disk. */
const COPIES_AHEAD = 2;

export interface SealParts {
  database: Database;
  work: WorkFolder;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  writer: ArchiveWriter;
  cleaner: FileCleaner;
  duck: DuckDatabase;
}

export interface SealOptions {
  signal?: AbortSignal;
  /** Called with the number of hours that were just looked at, and the report so far; waited for. */
  onHours?: ((hours: number, report: SealReport) => void | Promise<void>) | undefined;
}

export interface SealReport {
  /** Hours of which something was sealed. */
  hours: number;
  visits: number;
  /** Visits taken out of files: purged ones. */
  removedVisits: number;
  failed: Failure[];
}

/**
 * Seals what files lack of closed hours. What that is, is arithmetic: where the files' number and checksum of a link
 * and bucket are not those of `link_traffic`, the ledger's rows are compared by event id; what is missing becomes a
 * file of its own, what is too much (purged since) is left out of its file, written anew. So late visits, purges
 * and files that were set aside need no message to anyone, and doing it twice changes nothing.
 */
export class VisitSealer {
  constructor(private readonly parts: SealParts) {}

  /** One that fails delays only itself. @throws when PostgreSQL is away, space is scarce or it is told to stop */
  async seal(hours: readonly number[], { signal, onHours }: SealOptions = {}): Promise<SealReport> {
    const { duck, cleaner } = this.parts;
    const attempts = new Attempts(signal);
    const report: SealReport = { hours: 0, visits: 0, removedVisits: 0, failed: attempts.failed };
    if (hours.length === 0) return report;
    await duck.session(async (session) => {
      await cleaner.begin(session);
      // A purge of months, in one writing of each file; what is left shows hour by hour.
      await cleaner.gatherPurged(session, hours);
      report.removedVisits = await cleaner.clean(session, attempts);
      const cleaned = report.removedVisits > 0;
      await this.#sealAll(session, this.#stretchesOf(hours, cleaned, attempts), attempts, report, onHours);
      report.removedVisits += await cleaner.clean(session, attempts);
    }, signal);
    return report;
  }

  async *#stretchesOf(hours: readonly number[], cleaned: boolean, attempts: Attempts): AsyncGenerator<number[]> {
    for (const day of daysOf(hours)) {
      let stretches: number[][] = [];
      await attempts.run(`day of ${toIso(day.range.from)}`, async () => {
        stretches = await this.#planDay(day, cleaned);
      });
      yield* stretches;
    }
  }

  /** @returns its hours that are still due, those together that become one file */
  async #planDay({ range, hours }: Day, cleaned: boolean): Promise<number[][]> {
    if (hours.size === 1 && !cleaned) return [[...hours]];
    return planStretches((await this.parts.manifest.due(range)).filter(({ hour }) => hours.has(hour)));
  }

  async #sealAll(
    session: DuckSession,
    stretches: AsyncGenerator<number[]>,
    attempts: Attempts,
    report: SealReport,
    onHours: SealOptions['onHours'],
  ): Promise<void> {
    const seal = async (hours: readonly number[], copied?: Copied) => {
      await this.parts.work.expectSpace();
      const file = await this.#sealRange(session, rangeOf(hours), copied);
      report.hours += file?.hours.length ?? 0;
      report.visits += file?.visits ?? 0;
    };
    for await (const { hours, copy } of this.#withCopies(stretches, session.signal)) {
      const isWhole = copy !== undefined && (await attempts.succeeds(async () => seal(hours, await copy.ready())));
      // One that fails must not keep the others: then each is sealed by itself.
      if (!isWhole) for (const hour of hours) await attempts.run(toIso(hour), () => seal([hour]));
      await onHours?.(hours.length, report);
    }
  }

  /** Copies of the next ones are under way while one is written: PostgreSQL takes as long to hand out rows as DuckDB to write them. */
  async *#withCopies(stretches: AsyncGenerator<number[]>, signal: AbortSignal | undefined) {
    const copyOf = (hours: readonly number[]) =>
      hours.length === 1 ? undefined : new CopyAhead(this.parts, rangeOf(hours), signal);
    const waiting: { hours: readonly number[]; copy: CopyAhead | undefined }[] = [];
    const askForMore = async () => {
      while (waiting.length <= COPIES_AHEAD) {
        const next = await stretches.next();
        if (next.done === true) return;
        waiting.push({ hours: next.value, copy: copyOf(next.value) });
      }
    };
    try {
      await askForMore();
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        try {
          await askForMore();
          // An error is of whoever takes the copy.
          await one.copy?.ready().catch(() => undefined);
          yield one;
        } finally {
          await one.copy?.drop();
        }
      }
    } finally {
      await Promise.all(waiting.map(async ({ copy }) => await copy?.drop()));
    }
  }

  /** @param copied buckets and rows of a stretch. @returns the file; undefined when nothing was missing */
  async #sealRange(session: DuckSession, range: InstantRange, copied: Copied | undefined) {
    const { manifest, files } = this.parts;
    const incarnation = copied?.incarnation ?? (await manifest.incarnation());
    const labels = copied?.labels ?? (await manifest.labels());
    return files.use(await manifest.files(range), (usable, expectUnchanged) =>
      this.#sealMissing(session, { range, usable, expectUnchanged, incarnation, labels, copied }),
    );
  }

  /** What the usable files lack. */
  async #sealMissing(
    session: DuckSession,
    options: {
      range: InstantRange;
      usable: readonly LocalFile<ArchiveFile>[];
      expectUnchanged: ExpectUnchanged;
      incarnation: string;
      labels: string;
      copied: Copied | undefined;
    },
  ): Promise<NewArchiveFile | undefined> {
    const { range, usable, expectUnchanged, incarnation, labels, copied } = options;
    const { database, work, manifest, writer, cleaner } = this.parts;
    const paths = usable.map(({ local }) => local);
    await session.run(`CREATE OR REPLACE TEMP VIEW archived AS ${archivedVisits(paths, range)}`);
    await session.run(`CREATE OR REPLACE TEMP TABLE filed AS ${sumOf('archived')}`);
    const isWhole = usable.length === 0;
    const publish = async (differing: number) => {
      if (differing === 0) return undefined;
      await session.run(FIND_HELD);
      if (range.from < (await manifest.keptFrom())) {
        await cleaner.gatherSurplus(session, expectUnchanged);
        return undefined;
      }
      await session.run(isWhole ? NO_SURPLUS : FIND_SURPLUS);
      const visits = isWhole ? 'FROM ledger' : MISSING;
      const level: ArchiveLevel = range.to - range.from > HOUR_MS ? 'day' : 'hour';
      const draft = { level, period: range, visits, sorted: true, expected: EXPECT_MISSING };
      const among = new Set(usable.map(({ id }) => id));
      const change = { replace: [], among, incarnation, labels, expectUnchanged };
      const file = await writer.publish(session, draft, change);
      await cleaner.gather(session, 'surplus', expectUnchanged);
      return file;
    };
    // Where a file came meanwhile, what it lacks is asked for anew.
    if (copied !== undefined && isWhole) return publish(await loadCopies(session, copied));
    return work.aside((kept) =>
      work.aside(async (ledger) => publish(await readLedgerHour(database, session, range, { kept, ledger, isWhole }))),
    );
  }
}

interface Day {
  range: InstantRange;
  hours: ReadonlySet<number>;
}

/** In the order in which the days come. */
function daysOf(hours: readonly number[]): Day[] {
  const days = new Map<number, number[]>();
  for (const hour of hours) {
    const day = floorTo(hour, DAY_MS);
    days.set(day, [...(days.get(day) ?? []), hour]);
  }
  return [...days.values()].map((ofDay) => ({ range: rangeOf(ofDay), hours: new Set(ofDay) }));
}

function rangeOf(hours: readonly number[]): InstantRange {
  return { from: Math.min(...hours), to: Math.max(...hours) + HOUR_MS };
}
