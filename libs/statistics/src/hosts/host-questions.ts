import { HOST_KINDS, type HostKind, type HostScope, noVisits, type VisitsByClass } from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { Snapshots } from '../read/snapshot.js';
import { inTime, orTooLong } from '../read/in-time.js';

const COUNT_NAMES = loadSql(import.meta.url, 'sql/count-names.sql');

/** A question about more names is asked alone. */
const NAMES_AT_MOST = 10_000;
/** Such questions at once, and under way or waiting: of all, and of one API key. */
const WIDE_AT_MOST = { atOnce: 1, questions: 8, ofOneKey: 3 };
const WIDE = new WeakMap<Database, Snapshots>();

export interface HostQuestion {
  kind: HostKind;
  /** Labels reversed. */
  name: string;
  scope: HostScope;
}

export interface HostSums {
  visits: number;
  byClass: VisitsByClass;
}

export function noHostSums(): HostSums {
  return { visits: 0, byClass: noVisits() };
}

export interface HostQuestionsSettings {
  /** Of a question, from its turn on; absent: each statement has what the connection has. */
  timeoutMs?: number;
  /** Tests only. */
  namesAtMost?: number;
}

/**
 * Questions about hosts have their turn with those of statistics, and of those that add up very many names there is one at a time;
 * none has longer than it may take.
 */
export class HostQuestions {
  readonly #questions: Snapshots;
  readonly #wide: Snapshots;

  constructor(
    database: Database,
    private readonly settings: HostQuestionsSettings,
  ) {
    this.#questions = Snapshots.shared(database);
    this.#wide = WIDE.get(database) ?? new Snapshots(database, WIDE_AT_MOST);
    WIDE.set(database, this.#wide);
  }

  /** @param below names of which all that is below is added up. @throws AppError `too-many-questions`, `answer-takes-too-long` */
  async ask<T extends object>(
    { kind, below, keyId }: { kind: HostKind; below: readonly string[] | 'everything'; keyId: number | null },
    answer: (tx: Transaction, signal?: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs } = this.settings;
    const hurried =
      <R>(work: (tx: Transaction, signal?: AbortSignal) => Promise<R>) =>
      (tx: Transaction) =>
        timeoutMs === undefined ? work(tx) : inTime(tx, timeoutMs, work);
    const unlessWide = async (tx: Transaction, signal?: AbortSignal) =>
      (await this.#isWide(tx, kind, below)) ? undefined : answer(tx, signal);
    try {
      const answered = await this.#questions.run(hurried(unlessWide), { keyId });
      return answered ?? (await this.#wide.run(hurried(answer), { keyId }));
    } catch (error) {
      throw orTooLong(error);
    }
  }

  async #isWide(tx: Transaction, kind: HostKind, below: readonly string[] | 'everything'): Promise<boolean> {
    if (below === 'everything') return true;
    if (below.length === 0) return false;
    const { namesAtMost = NAMES_AT_MOST } = this.settings;
    const [row] = await tx.query<{ names: number }>(COUNT_NAMES, [HOST_KINDS.indexOf(kind), below, namesAtMost + 1]);
    return (row?.names ?? 0) > namesAtMost;
  }
}
