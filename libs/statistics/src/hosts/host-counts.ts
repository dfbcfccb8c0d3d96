import {
  HOST_KINDS,
  type HostKind,
  type HostScope,
  noVisits,
  type VisitsByClass,
  visitClassFromNumber,
} from '@hopcount/contracts';
import { isBucketStart, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { seriesStarts } from '../range/intervals.js';
import type { StatisticsRange } from '../range/statistics-range.js';

const COUNT_HOST = loadSql(import.meta.url, 'sql/count-host.sql');
const READ_HOST = loadSql(import.meta.url, 'sql/read-host.sql');
const LIST_HOSTS = loadSql(import.meta.url, 'sql/list-hosts.sql');

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

/** Where a list goes on. */
export interface HostPosition {
  visits: number;
  name: string;
}

interface CountRow {
  bucket: Date | null;
  class: number;
  visits: number;
}

interface ListedRow extends HostPosition {
  own: number;
  children: number;
  byClass: number[];
}

/** Visits by host, from PostgreSQL: whole quarters of an hour, and all of them together. */
export class HostCounts {
  constructor(private readonly database: Database) {}

  /** @throws AppError `invalid-range`: a bucket would be cut */
  async count({ kind, name, scope }: HostQuestion, range: StatisticsRange) {
    expectWholeBuckets(range);
    const { rows, host } = await this.database.transaction(
      async (tx) => {
        const values = [HOST_KINDS.indexOf(kind), name, scope, toIso(range.from), toIso(range.to)];
        const counted = await tx.query<CountRow>(COUNT_HOST, values);
        const [found] = await tx.query<{ children: number; lumped: boolean; asOf: Date }>(READ_HOST, [
          name,
          HOST_KINDS.indexOf(kind),
        ]);
        if (found === undefined) throw new Error('a statement without FROM answers one row');
        return { rows: counted, host: found };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
    const starts = seriesStarts(range, range.interval, range.timeZone);
    const visits = new Array<number>(starts.length).fill(0);
    const [totals, allTime] = [noSums(), noSums()];
    for (const row of rows) {
      add(row.bucket === null ? allTime : totals, row);
      if (row.bucket !== null) visits[placeOf(starts, row.bucket.getTime())]! += row.visits;
    }
    return { ...host, totals, allTime, starts, visits };
  }

  /** What is one label below a name (null: at the top), each with all below it; by visits of all time. */
  async list(kind: HostKind, below: string | null, after: HostPosition | null, limit: number) {
    const values = [HOST_KINDS.indexOf(kind), below, after?.visits ?? null, after?.name ?? null, limit + 1];
    const rows = await this.database.query<ListedRow>(LIST_HOSTS, values);
    const page = rows.slice(0, limit).map((row) => ({ ...row, byClass: byClassOf(row.byClass) }));
    const last = page.at(-1);
    return {
      hosts: page,
      next: rows.length > limit && last !== undefined ? { visits: last.visits, name: last.name } : null,
    };
  }
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

/** Of the last point that begins at or before it. */
function placeOf(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
