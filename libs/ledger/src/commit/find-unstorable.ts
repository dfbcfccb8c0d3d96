import { classifyPostgresError, type Database, type Transaction } from '@hopcount/postgres';

/**
 * The items PostgreSQL refuses to hold (for example `\u0000` in text), found by halving the batch in
 * transactions that are always rolled back.
 */
export async function findUnstorable<Item>(
  database: Database,
  items: readonly Item[],
  insert: (tx: Transaction, items: readonly Item[]) => Promise<unknown>,
): Promise<Item[]> {
  if (items.length === 0 || (await canStore(database, items, insert))) return [];
  if (items.length === 1) return [...items];
  const middle = items.length >> 1;
  return [
    ...(await findUnstorable(database, items.slice(0, middle), insert)),
    ...(await findUnstorable(database, items.slice(middle), insert)),
  ];
}

async function canStore<Item>(
  database: Database,
  items: readonly Item[],
  insert: (tx: Transaction, items: readonly Item[]) => Promise<unknown>,
): Promise<boolean> {
  const rollback = new Error('only a trial');
  try {
    await database.transaction(async (tx) => {
      await insert(tx, items);
      throw rollback;
    });
  } catch (error) {
    if (error === rollback) return true;
    if (classifyPostgresError(error) === 'data') return false;
    throw error;
  }
  return true;
}
