import { prepared, type Transaction } from '@hopcount/postgres';

const KEPT_FROM = prepared('kept-from', 'SELECT kept_from FROM ledger_retention');

/** Before it only files have visits; epoch milliseconds. */
export async function readKeptFrom(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ kept_from: Date | null }>(KEPT_FROM);
  return row?.kept_from?.getTime() ?? Number.NEGATIVE_INFINITY;
}
