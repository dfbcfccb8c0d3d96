import type { Database, Transaction } from '@hopcount/postgres';
import limit from 'p-limit';

/**
 * Questions at once: each holds a connection until it is answered and keeps a thread of Node's four busy; the others of
 * the pool are for short requests.
 */
const AT_ONCE = 3;
/**
 * Compiling a plan costs more than these statements take; a sort or hash of 100,000 ids fits in 32 MB. A link's buckets are
 * read in the order of their index: as a bitmap, 49,000 of them take half as long again.
 */
const PREPARE = `SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true),
  set_config('random_page_cost', '1.1', true)`;
/** Before the snapshot is taken: a month dropped after it would be missing in silence. */
const KEEP_MONTHS = 'LOCK TABLE ONLY visits IN ACCESS SHARE MODE';

const SHARED = new WeakMap<Database, Snapshots>();

/** Runs questions, a few at a time, each under one snapshot in which no month goes. */
export class Snapshots {
  readonly #turn = limit(AT_ONCE);

  constructor(private readonly database: Database) {}

  /** The same for all readers of statistics: together they are as much work as one of them. */
  static shared(database: Database): Snapshots {
    const known = SHARED.get(database) ?? new Snapshots(database);
    SHARED.set(database, known);
    return known;
  }

  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const options = { isolation: 'REPEATABLE READ', readOnly: true } as const;
    const inSnapshot = async (tx: Transaction) => {
      await tx.query(KEEP_MONTHS);
      await tx.query(PREPARE);
      return work(tx);
    };
    return this.#turn(() => this.database.transaction(inSnapshot, options));
  }
}

/** Before it only files have visits; epoch milliseconds. */
export async function readKeptFrom(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ kept_from: Date }>('SELECT kept_from FROM ledger_retention');
  return row?.kept_from.getTime() ?? Number.NEGATIVE_INFINITY;
}
