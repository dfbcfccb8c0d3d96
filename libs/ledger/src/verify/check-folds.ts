import { loadSql, type Transaction } from '@hopcount/postgres';

import { HOUR_MS } from '../buckets.js';
import { ANY_TIME, type Difference, type Found, MAX_DIFFERENCES, type Scope } from './checks.js';
import type { Doubt } from './doubted-sums.js';

const NEXT_FOLDS = loadSql(import.meta.url, 'sql/next-folds.sql');
const CHECK_FOLDS = loadSql(import.meta.url, 'sql/check-folds.sql');
const CHECK_DIMENSIONS = loadSql(import.meta.url, 'sql/check-dimensions.sql');

/** Folds compared by one statement: their sets of ids are in PostgreSQL's memory meanwhile. */
const FOLDS_PER_STEP = 200;

export interface FoldKey {
  link_id: string;
  hour: Date;
}

type FoldScope = Pick<Scope, 'linkId' | 'keptFrom'>;

/** `valid`: by its checksum. */
type CheckedFold = FoldKey & { valid: boolean };

export interface FoldCheck extends Found {
  checked: number;
  stale: number;
}

/**
 * Every fold whose checksum holds must be what the ledger gives; one whose checksum does not hold is
 * stale, which is no difference: nobody reads it.
 */
export async function checkFolds(
  tx: Transaction,
  scope: FoldScope,
  onProgress: (step: string) => void = () => undefined,
): Promise<FoldCheck> {
  const result: FoldCheck = { differences: [], doubts: [], checked: 0, stale: 0 };
  for await (const folds of stepsThroughFolds(tx, scope)) {
    const valid = folds.filter((fold) => fold.valid);
    const found = await compare(tx, valid);
    result.differences.push(...found.differences);
    result.doubts.push(...found.doubts);
    result.checked += valid.length;
    result.stale += folds.length - valid.length;
    if (folds.length === FOLDS_PER_STEP) onProgress(`${result.checked + result.stale} folds compared`);
    if (result.differences.length < MAX_DIFFERENCES) continue;
    result.doubts.push({ checks: ['folds'], range: ANY_TIME });
    break;
  }
  return result;
}

/** Folds of the scope that are stale or not what the ledger gives: those a rebuild drops. */
export async function findWrongFolds(tx: Transaction, scope: FoldScope): Promise<FoldKey[]> {
  const wrong: FoldKey[] = [];
  for await (const folds of stepsThroughFolds(tx, scope)) {
    const valid = keysOf(folds.filter((fold) => fold.valid));
    const [sets, values] = [
      await tx.query<FoldKey>(CHECK_FOLDS, valid),
      await tx.query<FoldKey>(CHECK_DIMENSIONS, valid),
    ];
    wrong.push(...folds.filter((fold) => !fold.valid), ...sets, ...values);
  }
  return wrong;
}

/** Every fold of the scope by its key, so many at a time. */
async function* stepsThroughFolds(tx: Transaction, scope: FoldScope): AsyncGenerator<CheckedFold[]> {
  let last: FoldKey | undefined;
  do {
    const folds: CheckedFold[] = await tx.query(NEXT_FOLDS, [
      scope.linkId,
      scope.keptFrom,
      last?.link_id ?? null,
      last?.hour.toISOString() ?? null,
      FOLDS_PER_STEP,
    ]);
    yield folds;
    last = folds.length < FOLDS_PER_STEP ? undefined : folds.at(-1);
  } while (last !== undefined);
}

function keysOf(folds: readonly FoldKey[]): [string[], string[]] {
  return [folds.map((fold) => fold.link_id), folds.map((fold) => fold.hour.toISOString())];
}

async function compare(tx: Transaction, folds: readonly FoldKey[]): Promise<Found> {
  if (folds.length === 0) return { differences: [], doubts: [] };
  const keys = keysOf(folds);
  const sets = await tx.query<FoldKey & { expected: unknown; actual: unknown }>(CHECK_FOLDS, keys);
  const values = await tx.query<FoldKey & { dimension: string; value: string; expected: unknown; actual: unknown }>(
    CHECK_DIMENSIONS,
    keys,
  );
  return {
    differences: [
      ...sets.map((row) => difference('folds', row, '', row)),
      ...values.map((row) => difference('dimensions', row, ` ${row.dimension} ${row.value}`, row)),
    ],
    doubts: [...sets.map((row) => doubt('folds', row)), ...values.map((row) => doubt('dimensions', row))],
  };
}

function doubt(check: 'folds' | 'dimensions', { hour }: FoldKey): Doubt {
  return { checks: [check], range: { from: hour.getTime(), to: hour.getTime() + HOUR_MS } };
}

function difference(
  check: 'folds' | 'dimensions',
  fold: FoldKey,
  detail: string,
  { expected, actual }: { expected: unknown; actual: unknown },
): Difference {
  const unit = `${fold.hour.toISOString()}${detail}`;
  return { check, linkId: fold.link_id, unit, expected, actual };
}
