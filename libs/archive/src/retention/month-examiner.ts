import { DAY_MS, HOUR_MS, type InstantRange, type MonthArchive, type MonthExamination, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import { archivedVisits } from '../duckdb/archived-visits.js';
import type { DuckDatabase } from '../duckdb/duck-database.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { FolderMarker } from '../files/folder-marker.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ArchiveStore } from '../store/archive-store.js';

const FIND_UNFILED = loadSql(import.meta.url, 'sql/find-unfiled.sql');
/** A day of many millions of rows is read here, once before its month goes. */
const NO_HURRY = "SELECT set_config('statement_timeout', '30min', true)";

export interface ExaminerParts {
  database: Database;
  manifest: ArchiveManifest;
  marker: FolderMarker;
  store: ArchiveStore;
  files: CheckedFiles;
  duck: DuckDatabase;
}

/** Of an hour and class, in files. */
interface ClassSum {
  hour: number;
  class: number;
  visits: number;
  checksum: bigint;
}

interface HeldSums {
  sums: ClassSum[];
  /** The first file that was written to since it was read. In a bucket this cannot be seen. */
  writtenTo: () => Promise<string | undefined>;
}

/**
 * Whether the ledger may lose a month: its buckets, its rows and the active files say the same of each hour and class, and
 * every file is what its SHA-256 says. The files are noted first and are asked for again by `confirm`: while they are
 * the active ones, what was found in between was found of them.
 */
export class MonthExaminer implements MonthArchive {
  constructor(private readonly parts: ExaminerParts) {}

  /** @throws AppError `archive-folder-missing` */
  async examine(month: InstantRange, signal?: AbortSignal): Promise<MonthExamination> {
    const { manifest, marker } = this.parts;
    await marker.check();
    const files = await manifest.files(month);
    const due = await firstDay(month, (day) => manifest.dueHours(day), signal);
    if (due.length > 0) return { keep: notHeld(due, '') };
    const held = await this.#sumFiles(files, month, signal);
    if ('damaged' in held) return { keep: `${held.damaged} is damaged or missing: it is sealed again first` };
    const differing = await firstDay(month, (day) => this.#hoursThatDiffer(day, held.sums), signal);
    if (differing.length > 0) return { keep: notHeld(differing, ' as the ledger does, class by class') };
    const ids = new Set(files.map(({ id }) => id));
    return {
      confirm: async (tx) => {
        if (!(await manifest.holdsExactly(tx, month, ids))) return 'its files were changed meanwhile';
        const written = await held.writtenTo();
        return written === undefined ? undefined : `${written} was written to meanwhile: it is read once more first`;
      },
    };
  }

  async #hoursThatDiffer(day: InstantRange, inFiles: readonly ClassSum[]): Promise<number[]> {
    const sums = inFiles.filter(({ hour }) => hour >= day.from && hour < day.to);
    const rows = await this.parts.database.transaction(async (tx) => {
      await tx.query(NO_HURRY);
      return tx.query<{ hour: Date }>(FIND_UNFILED, [
        ...[day.from, day.to].map(toIso),
        sums.map(({ hour }) => toIso(hour)),
        sums.map((sum) => sum.class),
        sums.map(({ visits }) => visits),
        sums.map(({ checksum }) => checksum.toString()),
      ]);
    });
    return rows.map(({ hour }) => hour.getTime());
  }

  /** One file after the other, each read whole; as far as the first that is damaged. */
  async #sumFiles(
    files: readonly ArchiveFile[],
    month: InstantRange,
    signal?: AbortSignal,
  ): Promise<HeldSums | { damaged: string }> {
    const { store } = this.parts;
    const sums = new Map<string, ClassSum>();
    const stamps = new Map<string, string | undefined>();
    for (const file of files) {
      signal?.throwIfAborted();
      stamps.set(file.path, await store.stamp(file.path));
      // What is stored: of a bucket, `use` opens a copy.
      const isWhole = await this.parts.files.check(file);
      const held = isWhole && (await this.parts.files.use([file], ([opened]) => this.#sumFile(opened, month, signal)));
      if (!held) return { damaged: file.path };
      for (const sum of held) {
        const known = sums.get(`${sum.hour} ${sum.class}`);
        const { visits, checksum } = known ?? { visits: 0, checksum: 0n };
        const both = { visits: visits + sum.visits, checksum: checksum ^ sum.checksum };
        sums.set(`${sum.hour} ${sum.class}`, { ...sum, ...both });
      }
    }
    const writtenTo = async () => {
      for (const [path, stamp] of stamps) if ((await store.stamp(path)) !== stamp) return path;
      return undefined;
    };
    return { sums: [...sums.values()], writtenTo };
  }

  async #sumFile(
    file: { local: string } | undefined,
    month: InstantRange,
    signal?: AbortSignal,
  ): Promise<ClassSum[] | undefined> {
    if (file === undefined) return undefined;
    return this.parts.duck.session(
      (session) =>
        session.rows(
          `SELECT (bucket // ${HOUR_MS} * ${HOUR_MS})::DOUBLE AS hour, class::DOUBLE AS class, count(*)::DOUBLE AS visits, bit_xor(checksum) AS checksum
           FROM (${archivedVisits([file.local], month)}) GROUP BY ALL`,
        ),
      signal,
    );
  }
}

/** A day at a time, as far as the first day that has some. */
async function firstDay(
  { from, to }: InstantRange,
  find: (day: InstantRange) => Promise<number[]>,
  signal?: AbortSignal,
): Promise<number[]> {
  for (let day = from; day < to; day += DAY_MS) {
    signal?.throwIfAborted();
    const hours = await find({ from: day, to: Math.min(day + DAY_MS, to) });
    if (hours.length > 0) return hours;
  }
  return [];
}

function notHeld(hours: readonly number[], how: string): string {
  return `files do not hold ${hours.length} of its hours${how}, first ${toIso(hours[0]!)}`;
}
