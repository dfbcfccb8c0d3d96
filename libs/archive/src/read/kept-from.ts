import type { Transaction } from '@hopcount/postgres';

/** Before it only files have visits; epoch milliseconds. */
export async function readKeptFrom(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ kept_from: Date | null }>('SELECT kept_from FROM ledger_retention');
  return row?.kept_from?.getTime() ?? Number.NEGATIVE_INFINITY;
}
