import {
  HOST_KINDS,
  type HostKind,
  type HostOrder,
  type HostScope,
  noVisits,
  type VisitsByClass,
  visitClassFromNumber,
} from '@hopcount/contracts';
import { isBucketStart, toIso } from '@hopcount/ledger';
import { type Database, loadSql, postgresErrorCode, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { seriesStarts } from '../range/intervals.js';
import type { StatisticsRange } from '../range/statistics-range.js';
import { Snapshots } from '../read/snapshot.js';

const COUNT_HOST = loadSql(import.meta.url, 'sql/count-host.sql');
const READ_HOST = loadSql(import.meta.url, 'sql/read-host.sql');
const LIST_HOSTS = loadSql(import.meta.url, 'sql/list-hosts.sql');
const COUNT_NAMES = loadSql(import.meta.url, 'sql/count-names.sql');
/** The setting as a value: so the connection keeps its own limit, a longer one, for a server that does not answer. */
const SET_TIMEOUT = 'SELECT set_config($1, $2, true)';
const TIMEOUT = 'statement_timeout';
const TIMED_OUT = '57014';

/** A question about more names is asked alone. */
const NAMES_AT_MOST = 10_000;
/** Such questions at once, and under way or waiting: of all, and of one API key. */
const WIDE_AT_MOST = { atOnce: 1, questions: 8, ofOneKey: 3 };

interface HostQuestion {
  kind: HostKind;
  /** Labels reversed. */
  name: string;
  scope: HostScope;
}

interface HostSums {
  visits: number;
  byClass: VisitsByClass;
}

interface HostListQuestion {
  kind: HostKind;
  /** Labels reversed; null: the top. */
  below: string | null;
  orderBy?: HostOrder;
  after: HostPosition | null;
  limit: number;
  keyId?: number | null;
}

/** Where a list goes on. */
export interface HostPosition {
  /** What the list is ordered by. */
  sum: number;
  name: string;
}

interface HostCountsSettings {
  /** Of each statement; absent: as the connection has it. */
  statementTimeoutMs?: number;
  /** Tests only. */
  namesAtMost?: number;
}

interface CountRow {
  /** null: of all time. */
  point: number | null;
  class: number;
  visits: number;
}

interface ListedRow {
  name: string;
  visits: number;
  /** Of the last five minutes, where that is the order. */
  window: number | null;
  own: number;
  children: number;
  byClass: number[];
}

/**
 * Visits by host, from PostgreSQL: whole quarters of an hour, and all of them together. What is below a name is added up when somebody
 * asks. So questions have their turn with those of statistics, and of those about very many names there is one at a time; none has
 * longer than its statements may take.
 */
export class HostCounts {
  readonly #questions: Snapshots;
  readonly #wide: Snapshots;

  constructor(
    database: Database,
    private readonly settings: HostCountsSettings = {},
  ) {
    this.#questions = Snapshots.shared(database);
    this.#wide = new Snapshots(database, WIDE_AT_MOST);
  }

  /** @throws AppError `invalid-range`: a bucket would be cut; `too-many-questions`, `answer-takes-too-long` */
  async count({ kind, name, scope }: HostQuestion, range: StatisticsRange, keyId: number | null = null) {
    expectWholeBuckets(range);
    const starts = seriesStarts(range, range.interval, range.timeZone);
    const span = [toIso(range.from), toIso(range.to), starts.map(toIso)];
    const below = scope === 'self' ? undefined : name;
    const { rows, host } = await this.#ask({ kind, below, keyId }, async (tx) => {
      const counted = await tx.query<CountRow>(COUNT_HOST, [HOST_KINDS.indexOf(kind), name, scope, ...span]);
      const [found] = await tx.query<{ children: number; lumped: boolean; asOf: Date }>(READ_HOST, [
        HOST_KINDS.indexOf(kind),
        name,
      ]);
      if (found === undefined) throw new Error('a statement without FROM answers one row');
      return { rows: counted, host: found };
    });
    const visits = new Array<number>(starts.length).fill(0);
    const [totals, allTime] = [noSums(), noSums()];
    for (const row of rows) {
      add(row.point === null ? allTime : totals, row);
      if (row.point !== null) visits[row.point]! += row.visits;
    }
    return { ...host, totals, allTime, starts, visits };
  }

  /**
   * What is one label below a name (null: at the top), each with all below it; by visits of all time, or of the last five minutes.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  async list({ kind, below, orderBy = 'visits', after, limit, keyId = null }: HostListQuestion) {
    const isWindow = orderBy === 'window';
    const values = [HOST_KINDS.indexOf(kind), below, after?.sum ?? null, after?.name ?? null, limit + 1, isWindow];
    const rows = await this.#ask({ kind, below, keyId }, (tx) => tx.query<ListedRow>(LIST_HOSTS, values));
    const page = rows.slice(0, limit).map((row) => ({ ...row, byClass: byClassOf(row.byClass) }));
    const last = page.at(-1);
    return {
      hosts: page,
      next: rows.length > limit && last !== undefined ? { sum: last.window ?? last.visits, name: last.name } : null,
    };
  }

  /** @param below whose names are added up; null: the top's; undefined: none */
  async #ask<T extends object>(
    { kind, below, keyId }: { kind: HostKind; below: string | null | undefined; keyId: number | null },
    answer: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const { statementTimeoutMs } = this.settings;
    const inTime =
      <R>(work: (tx: Transaction) => Promise<R>) =>
      async (tx: Transaction) => {
        if (statementTimeoutMs !== undefined) await tx.query(SET_TIMEOUT, [TIMEOUT, String(statementTimeoutMs)]);
        return work(tx);
      };
    const unlessWide = async (tx: Transaction) => ((await this.#isWide(tx, kind, below)) ? undefined : answer(tx));
    try {
      const answered = await this.#questions.run(inTime(unlessWide), keyId);
      return answered ?? (await this.#wide.run(inTime(answer), keyId));
    } catch (error) {
      throw postgresErrorCode(error) === TIMED_OUT ? tooLong(error) : error;
    }
  }

  async #isWide(tx: Transaction, kind: HostKind, below: string | null | undefined): Promise<boolean> {
    if (below === undefined) return false;
    const { namesAtMost = NAMES_AT_MOST } = this.settings;
    const [row] = await tx.query<{ names: number }>(COUNT_NAMES, [HOST_KINDS.indexOf(kind), below, namesAtMost + 1]);
    return (row?.names ?? 0) > namesAtMost;
  }
}

function tooLong(cause: unknown): AppError {
  const message = 'The answer takes too long: ask for a name further down, for a shorter range, or again later.';
  return new AppError('answer-takes-too-long', message, { retryable: true, cause });
}

function expectWholeBuckets({ from, to }: StatisticsRange): void {
  const invalidElements = [...(isBucketStart(from) ? [] : ['startDate']), ...(isBucketStart(to) ? [] : ['endDate'])];
  if (invalidElements.length === 0) return;
  throw new AppError('invalid-range', 'Visits by host are kept by quarters of an hour: begin and end with one.', {
    details: { invalidElements },
  });
}

function noSums(): HostSums {
  return { visits: 0, byClass: noVisits() };
}

function add(sums: HostSums, row: CountRow): void {
  sums.visits += row.visits;
  sums.byClass[visitClassFromNumber(row.class)] += row.visits;
}

function byClassOf(classes: readonly number[]): VisitsByClass {
  const byClass = noVisits();
  for (const [place, visits] of classes.entries()) byClass[visitClassFromNumber(place)] = visits;
  return byClass;
}
