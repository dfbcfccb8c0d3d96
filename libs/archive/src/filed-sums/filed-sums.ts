import { createReadStream } from 'node:fs';

import { HOST_KINDS, visitClassFromNumber } from '@hopcount/contracts';
import {
  compareWithFiles,
  correctFromFiles,
  FILED_SUMS,
  type InstantRange,
  type MissingSum,
  toIso,
  unattributedRanges,
} from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import { failpoint, isAppError, type OnStep } from '@hopcount/runtime';

import { Attempts, type Failure } from '../attempts.js';
import { archivedVisits } from '../duckdb/archived-visits.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { WRITE_CSV } from '../duckdb/read-csv.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { type ArchiveManifest, movedOn } from '../manifest/archive-manifest.js';
import { monthAt } from '../months.js';
import type { ExpectUnchanged } from '../store/archive-store.js';

const COPY_SUMS = `COPY ${FILED_SUMS} FROM STDIN (FORMAT csv)`;
/** A damaged month must not fill the memory of the one who looks at it. */
const MOST_DIFFERENCES = 100;
const ATTEMPTS = 3;

export interface FiledSumsParts {
  database: Database;
  work: WorkFolder;
  manifest: ArchiveManifest;
  files: CheckedFiles;
  duck: DuckDatabase;
}

export interface AttributionReport {
  /** Quarter hours whose sums by group and host are what files say now. */
  quarterHours: number;
  /** Of these sums, those that were something else. */
  corrected: number;
  failed: Failure[];
}

/** A sum by group or host that is not what files say. */
export interface WrongSum {
  check: 'groups' | 'hosts';
  where: string;
  expected: string;
  actual: string;
}

/**
 * Sums by group and host of months that the ledger dropped. A purge of such a month does not subtract from them: only files
 * know the group and the hosts with which a visit was committed. Once the files are without the purged visits, the sums are
 * computed from the files.
 *
 * May be cut short anywhere: before the COMMIT nothing changed and the next sealing does it, after it nothing is left to do. Files that
 * are replaced between the reading and the transaction make it fail, and the next sealing reads those that came.
 */
export class FiledSums {
  constructor(private readonly parts: FiledSumsParts) {}

  /** Where something was purged since the ledger dropped it. @throws when PostgreSQL is away or it is told to stop */
  async attribute(signal?: AbortSignal): Promise<AttributionReport> {
    return this.#correctAll(await unattributedRanges(this.parts.database), signal);
  }

  /** In all months that the ledger dropped. */
  async rebuild(onStep?: OnStep, signal?: AbortSignal): Promise<AttributionReport> {
    return this.#correctAll(await this.#droppedMonths(), signal, onStep);
  }

  /** What `rebuild` would correct in a month. Changes nothing. */
  async differences(range: InstantRange, session: DuckSession): Promise<WrongSum[]> {
    const to = Math.min(range.to, await this.parts.manifest.keptFrom());
    if (to <= range.from) return [];
    const dropped = { from: range.from, to };
    const wrong = await this.#withSums(session, dropped, (path) =>
      compareWithFiles(this.parts.database, dropped, (tx) => copyIn(tx, path, session.signal), MOST_DIFFERENCES),
    );
    return (wrong ?? []).map(toWrongSum);
  }

  async #correctAll(
    ranges: readonly InstantRange[],
    signal: AbortSignal | undefined,
    onStep: OnStep = () => undefined,
  ): Promise<AttributionReport> {
    const attempts = new Attempts(signal);
    const report: AttributionReport = { quarterHours: 0, corrected: 0, failed: attempts.failed };
    if (ranges.length === 0) return report;
    await this.parts.duck.session(async (session) => {
      for (const [nth, range] of ranges.entries()) {
        const month = toIso(range.from).slice(0, 7);
        onStep(month, nth, ranges.length);
        await attempts.run(`sums of ${month}`, () => this.#orAgain(() => this.#correct(session, range, report)));
      }
    }, signal);
    return report;
  }

  /** Files that are merged or sealed meanwhile are read anew. */
  async #orAgain(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt === ATTEMPTS || !isAppError(error, 'archive-moved-on')) throw error;
      }
    }
  }

  async #correct(session: DuckSession, range: InstantRange, report: AttributionReport): Promise<void> {
    const { database, manifest } = this.parts;
    await this.#withSums(session, range, async (path, ids, expectUnchanged) => {
      failpoint('filed-sums.after-read');
      const fill = async (tx: Transaction) => {
        if (!(await manifest.holdsExactly(tx, range, ids))) throw movedOn();
        await copyIn(tx, path, session.signal);
      };
      const { sound, missing } = await correctFromFiles(database, range, fill, expectUnchanged);
      report.quarterHours += sound;
      report.corrected += missing;
    });
  }

  /**
   * What active files say of the range, in a file aside. Those that are damaged or missing are left out, so their hours are not what is
   * counted, and stay as they are.
   */
  async #withSums<T>(
    session: DuckSession,
    range: InstantRange,
    work: (path: string, ids: ReadonlySet<string>, expectUnchanged: ExpectUnchanged) => Promise<T>,
  ): Promise<T> {
    const { manifest, files, work: folder } = this.parts;
    await folder.expectSpace();
    const listed = await manifest.files(range);
    const write = async (usable: { local: string }[], expectUnchanged: ExpectUnchanged) => {
      const visits = archivedVisits(
        usable.map(({ local }) => local),
        range,
      );
      return folder.aside(async (path) => {
        await session.run(
          `COPY (
            SELECT to_timestamp(bucket / 1000) AS bucket, class, coalesce(group_id, '') AS group_id, target_host, short_host, referrer_host,
              count(*) AS visits, bit_xor(checksum) AS checksum
            FROM (${visits}) GROUP BY ALL
          ) TO ${quote(path)} ${WRITE_CSV}`,
        );
        return work(path, new Set(listed.map(({ id }) => id)), expectUnchanged);
      });
    };
    return files.use<ArchiveFile, T>(listed, write);
  }

  async #droppedMonths(): Promise<InstantRange[]> {
    const { manifest } = this.parts;
    const [begin, end] = [await manifest.begin(), await manifest.keptFrom()];
    const months: InstantRange[] = [];
    if (begin === undefined) return months;
    for (let month = monthAt(begin); month.from < end; month = monthAt(month.to)) months.push(month);
    return months;
  }
}

async function copyIn(tx: Transaction, path: string, signal: AbortSignal | undefined): Promise<void> {
  await tx.copyFrom(COPY_SUMS, createReadStream(path, { highWaterMark: 1 << 20 }), signal);
}

function toWrongSum({ kind, name, bucket, class: visitClass, visits }: MissingSum): WrongSum {
  const what = kind === null ? `group ${name || '(none)'}` : `${HOST_KINDS[kind]} ${name}`;
  return {
    check: kind === null ? 'groups' : 'hosts',
    where: `${bucket.toISOString()} ${what} ${visitClassFromNumber(visitClass)}`,
    expected: 'as files say',
    actual: `${Math.abs(visits)} visits ${visits < 0 ? 'too many' : 'too few'}`,
  };
}
