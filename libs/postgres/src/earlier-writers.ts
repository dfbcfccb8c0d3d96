import type { Database } from './database.js';
import { postgresErrorCode } from './postgres.errors.js';

/** Rows of which whoever puts visits in locks one first, by what names them. */
const LOCKED_FIRST = [
  { table: 'consumer_checkpoints', key: ['consumer_group', 'topic', 'partition'], some: 'true' },
  { table: 'imports', key: ['id'], some: "state = 'running'" },
  { table: 'visit_writers', key: ['name'], some: 'true' },
] as const;
const WRITERS = LOCKED_FIRST.map(({ table, key, some }) => {
  const columns = key.map((column) => `${column}::text`);
  return {
    list: `SELECT ARRAY[${columns.join(', ')}] AS key FROM ${table} WHERE ${some}`,
    free: `SELECT ARRAY[${columns.join(', ')}] AS key FROM ${table} WHERE ${some} FOR SHARE SKIP LOCKED`,
    lock: `SELECT FROM ${table} WHERE ${columns.map((column, at) => `${column} = $${at + 1}`).join(' AND ')} FOR SHARE`,
  };
});
/** Nothing of this has to outlive anything, nor to wait for a standby. */
const IN_HASTE = `SELECT set_config('lock_timeout', $1, true), set_config('synchronous_commit', 'off', true)`;
const LOCK_NOT_AVAILABLE = '55P03';
/** Of one try: a stop is noticed between two of them. */
const LONGEST_TRY_MS = 1_000;

interface Writer {
  lock: string;
  key: string[];
}

/**
 * Waits until every transaction has ended that may put visits in without having seen what the caller had committed. What is
 * read after it shows all they put in, and each that goes on sees what the caller had committed.
 *
 * Each of them locks a row of its own first (a commit its checkpoint, an import its row of `imports`, a month that is restored one of
 * `visit_writers`), in READ COMMITTED, and looks at marks in a later statement, with a snapshot of its own. So one that missed
 * the mark holds its row since before the mark was committed, until it ends; PostgreSQL lets go of rows only once others see what was
 * done. Here each row is locked once, after the mark:
 * - whoever missed the mark had found its row there, so it is among those that are listed now. A partition that is taken over or made
 *   later has a commit only after that, which sees the mark; so has a commit that waits for its row here.
 * - FOR SHARE meets all they hold (FOR NO KEY UPDATE, FOR UPDATE), not each other: two purges do not wait for one another.
 * - those that nobody holds are locked at once (SKIP LOCKED: without waiting), the others one at a time, in a transaction that holds
 *   nothing else: whoever waits here holds nothing, so there is no deadlock. A commit that comes meanwhile waits behind it no longer
 *   than for the one before.
 * - a consumer that stands still in a transaction holds its row until PostgreSQL ends that (`idle_in_transaction_session_timeout`),
 *   and is waited for; whoever takes its partition over waits there, too.
 * Transactions that put no visits in (a verification, a backup, what a standby still reads) hold no such row and are not waited for.
 * @returns false when one of them is still open after `waitMs`, or when the signal came
 */
export async function earlierWritersEnded(
  database: Pick<Database, 'transaction'>,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const deadlineMs = performance.now() + waitMs;
  for (const writer of await writersUnderWay(database)) {
    while (!(await hasEnded(database, writer, deadlineMs - performance.now()))) {
      if (signal?.aborted === true || performance.now() > deadlineMs) return false;
    }
  }
  return signal?.aborted !== true;
}

function writersUnderWay(database: Pick<Database, 'transaction'>): Promise<Writer[]> {
  return database.transaction(async (tx) => {
    await tx.query(IN_HASTE, ['0']);
    const held: Writer[] = [];
    for (const { list, free, lock } of WRITERS) {
      const all = await tx.query<{ key: string[] }>(list);
      const ended = new Set((await tx.query<{ key: string[] }>(free)).map(({ key }) => key.join('\0')));
      held.push(...all.filter(({ key }) => !ended.has(key.join('\0'))).map(({ key }) => ({ lock, key })));
    }
    return held;
  });
}

async function hasEnded(
  database: Pick<Database, 'transaction'>,
  { lock, key }: Writer,
  leftMs: number,
): Promise<boolean> {
  const tryMs = Math.ceil(Math.min(Math.max(leftMs, 1), LONGEST_TRY_MS));
  try {
    await database.transaction(async (tx) => {
      await tx.query(IN_HASTE, [`${tryMs}ms`]);
      await tx.query(lock, key);
    });
    return true;
  } catch (error) {
    if (postgresErrorCode(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
