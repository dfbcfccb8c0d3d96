import { DAY_MS, HOUR_MS, hourOf, type InstantRange, isBucketStart, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import { Attempts, type Failure } from '../attempts.js';
import { archivedVisits } from '../duckdb/archived-visits.js';
import { copyOut } from '../duckdb/copy-out.js';
import type { DuckDatabase, DuckSession } from '../duckdb/duck-database.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { CheckedFiles } from '../files/checked-files.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ExpectUnchanged } from '../store/archive-store.js';
import { type DayLimits, selectAggregates, selectDay, selectDimensions, selectLinks } from './day-selections.js';
import { writeDay } from './write-day.js';

const DUE_DAYS = loadSql(import.meta.url, 'sql/due-days.sql');
const COUNT_DAY = loadSql(import.meta.url, 'sql/count-day.sql');
const FIND_FIRST = 'SELECT min(day_start) AS first FROM day_aggregates';
const LOCK_DAYS = `SELECT pg_advisory_xact_lock(hashtext('day-aggregates'))`;
/** Until the end of the transaction. */
const KEEP_LABELS = 'SELECT FROM ledger_labels WHERE generation = $1 FOR SHARE';
const DOMAIN_COLUMNS = ['link_id', 'domain_id'].map((name) => ({ name, type: 'BIGINT' }));

/**
 * A link of a day has 6 rows and about 100 values, 10 KB: below 1,000 visits that is more than the visits' own bytes
 * in the files, which answer for it as fast.
 */
export const DAY_LIMITS: DayLimits = { linkVisits: 1_000, links: 10_000, linkValues: 20, scopeValues: 100 };
/** Of one run, the latest first. */
const DAYS_AT_ONCE = 20;
/** Older days, that take no visit any more, are looked at twice a day. */
const RECENT_DAYS = 3;
const ALL_EVERY_MS = DAY_MS / 2;

export interface DayReport {
  /** Days whose aggregates were made, and the rows of them all. */
  days: number;
  rows: number;
  failed: Failure[];
}

export interface DaysToAggregate {
  /** The day of the reporting zone that holds the instant: zones are not known here. */
  dayOf: (instant: number) => InstantRange;
  /** Days that end at or before it are closed. */
  closedBefore: number;
  nowMs: number;
  /** Late visits come of days since then. */
  lateFrom?: number;
}

/**
 * Keeps the aggregates of sealed days in PostgreSQL what the files say. A day is due where its number and checksum for
 * all links are not those of the buckets, so a late visit or a purge needs no message. One pass over the day's files,
 * whatever the number of links.
 */
export class DayAggregator {
  #lookedAtAllMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: {
      database: Database;
      work: WorkFolder;
      manifest: ArchiveManifest;
      files: CheckedFiles;
      duck: DuckDatabase;
    },
    private readonly limits: DayLimits = DAY_LIMITS,
  ) {}

  /** One that fails delays only itself. @throws when PostgreSQL is away or it is told to stop */
  async aggregate(which: DaysToAggregate, signal?: AbortSignal): Promise<DayReport> {
    const attempts = new Attempts(signal);
    const report: DayReport = { days: 0, rows: 0, failed: attempts.failed };
    const due = await this.#dueDays(which);
    if (due.length === 0) return report;
    await this.parts.duck.session(async (session) => {
      for (const day of due.slice(0, DAYS_AT_ONCE)) {
        await attempts.run(`day ${toIso(day.from)}`, async () => {
          const rows = await this.#aggregateDay(session, day);
          report.days += rows === undefined ? 0 : 1;
          report.rows += rows ?? 0;
        });
      }
    }, signal);
    // Days are left: the next run looks at all again.
    if (due.length > DAYS_AT_ONCE) this.#lookedAtAllMs = Number.NEGATIVE_INFINITY;
    return report;
  }

  async #dueDays({ dayOf, closedBefore, nowMs, lateFrom = closedBefore }: DaysToAggregate): Promise<InstantRange[]> {
    const looksAtAll = nowMs - this.#lookedAtAllMs >= ALL_EVERY_MS;
    const first = await this.#begin(closedBefore);
    const recent = Math.min(closedBefore - RECENT_DAYS * DAY_MS, Math.max(lateFrom, first));
    const begin = looksAtAll ? first : recent;
    const days: InstantRange[] = [];
    for (let day = dayOf(begin); day.to <= closedBefore; day = dayOf(day.to)) {
      if (isBucketStart(day.from) && isBucketStart(day.to)) days.push(day);
    }
    const rows = await this.parts.database.query<{ day_start: Date }>(DUE_DAYS, [
      days.map((day) => toIso(day.from)),
      days.map((day) => toIso(day.to)),
      days.map((day) => toIso(hourOf(day.to + HOUR_MS - 1))),
    ]);
    if (looksAtAll) this.#lookedAtAllMs = nowMs;
    return rows.map(({ day_start: start }) => dayOf(start.getTime()));
  }

  /** Days with aggregates count: all their visits may have been purged. */
  async #begin(closedBefore: number): Promise<number> {
    const [kept] = await this.parts.database.query<{ first: Date | null }>(FIND_FIRST);
    return Math.min((await this.parts.manifest.begin()) ?? closedBefore, kept?.first?.getTime() ?? closedBefore);
  }

  /** @returns how many rows; undefined where files and buckets do not agree: nothing was written */
  async #aggregateDay(session: DuckSession, day: InstantRange): Promise<number | undefined> {
    const { manifest, files } = this.parts;
    const labels = await manifest.labels();
    await this.#loadDomains(session, day);
    return files.use(await manifest.files(day), async (usable, expectUnchanged) => {
      const paths = usable.map(({ local }) => local);
      await this.#addUp(session, archivedVisits(paths, day));
      return this.#write(session, { day, labels, expectUnchanged });
    });
  }

  /** Makes `day_rows` and `day_values`. */
  async #addUp(session: DuckSession, visits: string): Promise<void> {
    await session.run(`CREATE OR REPLACE TEMP TABLE day_visits AS ${selectDay(visits)}`);
    await session.run(`CREATE OR REPLACE TEMP TABLE day_links AS ${selectLinks(this.limits)}`);
    await fill(session, 'day_rows', selectAggregates());
    await fill(session, 'day_values', selectDimensions(this.limits));
    await session.run('DROP TABLE day_visits');
  }

  async #write(session: DuckSession, { day, labels, expectUnchanged }: AddedUp): Promise<number | undefined> {
    const [filed] = await session.rows<{ visits: number; checksum: string }>(
      `SELECT coalesce(sum(visits), 0)::DOUBLE AS visits, coalesce(bit_xor(checksum), 0)::VARCHAR AS checksum
       FROM day_rows WHERE scope = 'all' AND class = 'all'`,
    );
    return this.parts.database.transaction(async (tx) => {
      await tx.query(LOCK_DAYS);
      if ((await tx.query(KEEP_LABELS, [labels])).length === 0) return undefined;
      const [counted] = await tx.query(COUNT_DAY, [toIso(day.from), toIso(day.to)]);
      // A visit came or went since the file was sealed, or another worker sealed one: the next run finds the day again.
      if (counted?.['visits'] !== filed?.visits || counted?.['checksum'] !== filed?.checksum) return undefined;
      const rows = await writeDay(tx, session, day);
      await expectUnchanged();
      return rows;
    });
  }

  /** Those of links visited that day: all there are may be far more. */
  async #loadDomains(session: DuckSession, { from, to }: InstantRange): Promise<void> {
    const { database, work } = this.parts;
    const select = `SELECT DISTINCT links.id, links.domain_id FROM link_traffic JOIN links ON links.id = link_id
      WHERE bucket >= '${toIso(from)}' AND bucket < '${toIso(to)}'`;
    await work.aside(async (path) => {
      await database.transaction((tx) => copyOut(tx, select, path, session.signal));
      await session.run(`CREATE OR REPLACE TEMP TABLE day_domains AS SELECT * FROM ${readCsv(path, DOMAIN_COLUMNS)}`);
    });
  }
}

interface AddedUp {
  day: InstantRange;
  labels: string;
  expectUnchanged: ExpectUnchanged;
}

/** One after the other: only one of them is in memory. */
async function fill(session: DuckSession, table: string, selections: readonly string[]): Promise<void> {
  const [first, ...others] = selections;
  await session.run(`CREATE OR REPLACE TEMP TABLE ${table} AS ${first}`);
  for (const selection of others) await session.run(`INSERT INTO ${table} ${selection}`);
}
