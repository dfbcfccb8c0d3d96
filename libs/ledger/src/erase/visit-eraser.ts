import { setTimeout as sleep } from 'node:timers/promises';

import {
  classifyPostgresError,
  type Database,
  earlierWritersEnded,
  loadSql,
  type Transaction,
} from '@hopcount/postgres';
import { AppError, failpoint } from '@hopcount/runtime';

import { DAY_MS, toIso } from '../buckets.js';
import { LEDGER_ERRORS } from '../ledger.errors.js';
import { deleteErasedFolds, eraseSome, type FiledLoss, forgetFiled, type FoundVisit } from './erase-batch.js';

const MARK_PEOPLE = loadSql(import.meta.url, 'sql/mark-people.sql');
const FIND_VISITS = loadSql(import.meta.url, 'sql/find-visits.sql');
const DELETE_ORPHANS = loadSql(import.meta.url, 'sql/delete-orphans.sql');
const COUNT_ORPHANS = `SELECT count(*)::integer AS orphans FROM orphan_visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz AND ip = ANY ($3::bigint[])`;
const COUNT_VISITS = `SELECT count(*)::integer AS visits FROM visits
  WHERE occurred_at >= $1::timestamptz AND occurred_at < $2::timestamptz
    AND (visitor = ANY ($3::bigint[]) OR ip = ANY ($4::bigint[]))`;
const FIND_BEGIN = 'SELECT min(occurred_at) AS begin FROM visits';
const RENEW_ERASURE = loadSql(import.meta.url, 'sql/renew-erasure.sql');
const END_ERASURE = 'UPDATE erasures SET erased_at = now() WHERE id = ANY ($1::bigint[])';

/** Visits in memory at once; a day of one address may have a million. */
const FOUND_AT_ONCE = 50_000;
const CONFLICT_ATTEMPTS = 10;
const LONGEST_PAUSE_MS = 50;

/** Whose visits, and when they occurred. */
export interface People {
  person: 'visitor' | 'ip';
  /** Signed 64-bit numbers as text, as the ledger has them. */
  hashes: readonly string[];
  fromMs: number;
  beforeMs: number;
}

/** What is erased, marked: it stays out from then on. */
export interface Erasure extends People {
  ids: readonly string[];
}

/** What the archive needs to go on with it. */
export interface FiledErasure {
  /** Before each file. @throws AppError `erasure-unfinished` */
  goesOn: () => Promise<void>;
  /** Takes out of every sum, in the transaction that replaces their file, visits of months the ledger dropped; says how many. */
  forget: (tx: Transaction, losses: readonly FiledLoss[]) => Promise<number>;
}

export interface VisitEraserSettings {
  /** False with SLOTS=off: nobody keeps slots, so there is nothing to take from. */
  hasSlots: boolean;
  horizonWaitMs?: number;
  visitsPerTransaction?: number;
}

/**
 * Erases people: every visit of a visitor, or of an address in a time, goes, and is taken out of every sum.
 *
 * marked → passed the horizon (as a purge: VisitPurger) → out of the ledger, a few thousand visits of a link at a time → out of
 * the files (archive) → finished. The mark keeps such visits out from the commit on, so no replay brings one back. What
 * is cut short anywhere leaves exact numbers; the same command again goes on. No month is dropped or restored meanwhile.
 */
export class VisitEraser {
  readonly #settings: Required<VisitEraserSettings>;

  constructor(
    private readonly database: Database,
    settings: VisitEraserSettings,
  ) {
    this.#settings = { horizonWaitMs: 60_000, visitsPerTransaction: 2_000, ...settings };
  }

  /** How many visits of them the ledger has, and how many orphan visits there are. */
  async count(people: People): Promise<{ visits: number; orphans: number }> {
    let visits = 0;
    for await (const [from, before] of this.#days(people)) {
      const [row] = await this.database.query<{ visits: number }>(COUNT_VISITS, [from, before, ...columns(people)]);
      visits += row?.visits ?? 0;
    }
    const [row] = await this.database.query<{ orphans: number }>(COUNT_ORPHANS, orphansOf(people));
    return { visits, orphans: row?.orphans ?? 0 };
  }

  /** @throws AppError `erasure-unfinished`: marked, but a commit under way may still add visits; again later */
  async mark(people: People): Promise<Erasure> {
    const { person, hashes, fromMs, beforeMs } = people;
    const rows = await this.database.query<{ id: string; before: Date }>(MARK_PEOPLE, [
      person,
      hashes,
      instant(fromMs),
      beforeMs === Infinity ? null : toIso(beforeMs),
    ]);
    failpoint('erase.after-mark');
    if (!(await earlierWritersEnded(this.database, { waitMs: this.#settings.horizonWaitMs }))) {
      throw new AppError('erasure-unfinished', LEDGER_ERRORS['erasure-unfinished'], { retryable: true });
    }
    return {
      ...people,
      beforeMs: Math.max(...rows.map(({ before }) => before.getTime())),
      ids: rows.map(({ id }) => id),
    };
  }

  /** Out of the ledger and the folds. @returns how many visits this call took */
  async erase(erasure: Erasure, onProgress?: (visits: number) => void): Promise<number> {
    let visits = 0;
    for await (const [from, before] of this.#days(erasure)) {
      await this.#goesOn(erasure);
      for (let found = FOUND_AT_ONCE; found === FOUND_AT_ONCE;) {
        const rows = await this.database.query<FoundVisit>(FIND_VISITS, [
          from,
          before,
          ...columns(erasure),
          FOUND_AT_ONCE,
        ]);
        found = rows.length;
        for (const some of this.#portions(rows)) {
          visits += await this.#write((tx) => eraseSome(tx, some[0]?.link_id ?? '', some, this.#settings.hasSlots));
          failpoint('erase.between-transactions');
          onProgress?.(visits);
        }
      }
    }
    await deleteErasedFolds(this.database, erasure);
    return visits;
  }

  /** Last: a batch of them takes no position, so one under way may not have seen the mark. @returns how many went */
  async eraseOrphans(erasure: Erasure): Promise<number> {
    let orphans = 0;
    for (let some = FOUND_AT_ONCE; some === FOUND_AT_ONCE; orphans += some) {
      some = (await this.database.execute(DELETE_ORPHANS, [...orphansOf(erasure), FOUND_AT_ONCE])).affected;
    }
    return orphans;
  }

  inFiles(erasure: Erasure): FiledErasure {
    return {
      goesOn: () => this.#goesOn(erasure),
      forget: (tx, losses) => forgetFiled(tx, losses, this.#settings.hasSlots),
    };
  }

  async finish({ ids }: Erasure): Promise<void> {
    await this.database.query(END_ERASURE, [ids]);
  }

  /** A sign of life, while which is young months stay where they are. Who gave none for a day cannot know whether they did. */
  async #goesOn({ ids }: Erasure): Promise<void> {
    if ((await this.database.execute(RENEW_ERASURE, [ids])).affected === ids.length) return;
    throw new AppError('erasure-unfinished', 'It stood still for a day: run the same command again.', {
      retryable: true,
    });
  }

  /** Those that go in one transaction: of one link, in key order. */
  *#portions(rows: readonly FoundVisit[]): Generator<FoundVisit[]> {
    let some: FoundVisit[] = [];
    for (const row of rows) {
      if (some.length === this.#settings.visitsPerTransaction || (some[0]?.link_id ?? row.link_id) !== row.link_id) {
        yield some;
        some = [];
      }
      some.push(row);
    }
    if (some.length > 0) yield some;
  }

  /** No index has visitors: the ledger is read, a day with each statement. */
  async *#days({ fromMs, beforeMs }: People): AsyncGenerator<[string, string]> {
    const [row] = await this.database.query<{ begin: Date | null }>(FIND_BEGIN);
    if (row?.begin == null) return;
    const end = Math.min(beforeMs, Date.now() + DAY_MS);
    for (let from = Math.max(fromMs, row.begin.getTime()); from < end; from += DAY_MS) {
      yield [toIso(from), toIso(Math.min(from + DAY_MS, end))];
    }
  }

  async #write(work: (tx: Transaction) => Promise<number>): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction(work);
      } catch (error) {
        if (attempt >= CONFLICT_ATTEMPTS || classifyPostgresError(error) !== 'conflict') throw error;
        await sleep(Math.random() * LONGEST_PAUSE_MS);
      }
    }
  }
}

function columns({ person, hashes }: People): [readonly string[], readonly string[]] {
  return person === 'visitor' ? [hashes, []] : [[], hashes];
}

/** An orphan visit has no visitor. */
function orphansOf({ person, hashes, fromMs, beforeMs }: People): unknown[] {
  return [instant(fromMs), instant(beforeMs), person === 'ip' ? hashes : []];
}

function instant(ms: number): string {
  if (Number.isFinite(ms)) return toIso(ms);
  return ms < 0 ? '-infinity' : 'infinity';
}
