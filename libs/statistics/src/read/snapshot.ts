import { availableParallelism } from 'node:os';

import { readKeptFrom } from '@hopcount/archive';
import { BUCKET_MS, bucketOf, type InstantRange } from '@hopcount/ledger';
import { type Database, prepared, together, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { CountingRate } from './counting-rate.js';
import { type Asker, Turns, type TurnsAtOnce } from './turns.js';

/**
 * Questions at once: each holds a connection until it is answered, which the pool has for short requests as well, and those that are
 * not light keep DuckDB's threads busy. On few cores one at a time: visits are counted beside them.
 */
const AT_ONCE: TurnsAtOnce = { atOnce: availableParallelism() < 4 ? 1 : 2, lightAtOnce: 1 };
/** Under way or waiting: of all, and of one API key. More would be answered long after whoever asked has gone. */
const QUESTIONS_AT_MOST = 96;
const OF_ONE_KEY = 32;
/**
 * A sort or hash of 100,000 ids fits in 32 MB. A link's buckets are read in the order of their index: as a bitmap, 49,000 of them take
 * half as long again. And what consumers have counted, for CountingRate.
 */
const PREPARE = prepared(
  'snapshot',
  `SELECT set_config('work_mem', '32MB', true), set_config('random_page_cost', '1.1', true),
    (SELECT coalesce(sum(next_offset), 0)::float8 FROM consumer_checkpoints) AS counted`,
);
/** Before the snapshot is taken: a month dropped after it would be missing in silence. */
const KEEP_MONTHS = 'LOCK TABLE ONLY visits IN ACCESS SHARE MODE';

const SHARED = new WeakMap<Database, Snapshots>();

/** Aborted, nobody waits for the answer any more. */
type InSnapshot<T> = (tx: Transaction, gone: AbortSignal) => Promise<T>;

interface QuestionsAtMost extends TurnsAtOnce {
  /** Under way or waiting. */
  questions: number;
  ofOneKey: number;
}

/** Runs questions, a few at a time, each under one snapshot in which no month goes. */
export class Snapshots {
  readonly #turns: Turns;
  readonly #rate = new CountingRate();
  readonly #ofKeys = new Map<number, number>();
  #questions = 0;

  constructor(
    private readonly database: Database,
    private readonly atMost: QuestionsAtMost = { ...AT_ONCE, questions: QUESTIONS_AT_MOST, ofOneKey: OF_ONE_KEY },
  ) {
    this.#turns = new Turns({ restMs: (tookMs) => this.#rate.restMs(tookMs), ...atMost });
  }

  /** The same for all readers of statistics: together they are as much work as one of them. */
  static shared(database: Database): Snapshots {
    const known = SHARED.get(database) ?? new Snapshots(database);
    SHARED.set(database, known);
    return known;
  }

  /**
   * @param mayLag for a question that reads the checkpoints with its numbers: what a replica has not replayed is pending in it
   * @throws AppError `too-many-questions` (retryable), `client-gone`
   */
  async run<T>(work: InSnapshot<T>, asker: Asker = {}, { mayLag = false } = {}): Promise<T> {
    const { keyId = null } = asker;
    this.#count(keyId);
    try {
      return await this.#turns.run((gone) => this.#inSnapshot(work, gone, mayLag), asker);
    } finally {
      this.#uncount(keyId);
    }
  }

  #inSnapshot<T>(work: InSnapshot<T>, gone: AbortSignal, mayLag: boolean): Promise<T> {
    const options = { isolation: 'REPEATABLE READ', readOnly: true, mayLag } as const;
    return this.database.transaction(async (tx) => {
      // Sent together, and run in this order.
      const [, , answer] = await together([tx.query(KEEP_MONTHS), this.#prepare(tx), work(tx, gone)]);
      return answer;
    }, options);
  }

  async #prepare(tx: Transaction): Promise<void> {
    const [row] = await tx.query<{ counted: number }>(PREPARE);
    this.#rate.see(row?.counted ?? 0);
  }

  #count(keyId: number | null): void {
    const ofKey = keyId === null ? 0 : (this.#ofKeys.get(keyId) ?? 0);
    const { questions, ofOneKey } = this.atMost;
    if (this.#questions >= questions || ofKey >= ofOneKey) {
      const whose = ofKey >= ofOneKey ? 'of this API key' : 'of all clients';
      const message = `Too many questions ${whose} are waiting to be answered: ask again when some of them are.`;
      throw new AppError('too-many-questions', message, { retryable: true });
    }
    this.#questions += 1;
    if (keyId !== null) this.#ofKeys.set(keyId, ofKey + 1);
  }

  #uncount(keyId: number | null): void {
    this.#questions -= 1;
    if (keyId === null) return;
    const left = (this.#ofKeys.get(keyId) ?? 1) - 1;
    if (left === 0) this.#ofKeys.delete(keyId);
    else this.#ofKeys.set(keyId, left);
  }
}

/** The whole buckets that hold what the ledger has of a range. */
export async function bucketsInLedger(tx: Transaction, { from, to }: InstantRange): Promise<InstantRange> {
  return { from: Math.max(bucketOf(from), await readKeptFrom(tx)), to: bucketOf(to + BUCKET_MS - 1) };
}
