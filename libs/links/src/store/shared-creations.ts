import { classifyPostgresError, postgresErrorCode, type Transaction } from '@hopcount/postgres';
import { actingAs, type Actor, currentActor, type Reach } from '@hopcount/runtime';

import type { Created } from './create-links.js';
import type { OnceOnly } from './idempotency.js';
import type { HashedLink } from './new-link.js';

const LINKS_PER_TRANSACTION = 200;

/** One request for a link. */
export interface Asked {
  given: HashedLink;
  /** It is answered once for its key, with what `answer` makes of the link in the transaction that made it. */
  once?: { only: OnceOnly; answer: (created: readonly Created[], tx: Transaction) => Promise<unknown> } | undefined;
}

/** What became of it; `answer`: of one that comes under a key. */
export type Settled = Created | { answer: unknown };

/** What is wrong with one of those that share a transaction, of which nothing is left. */
export class WrongOfOne extends Error {
  constructor(cause: unknown) {
    super('one of the links that were to be created together cannot be created', { cause });
  }
}

interface Waiting {
  asked: Asked;
  actor: Actor | null;
  resolve: (settled: Settled) => void;
  reject: (error: unknown) => void;
}

interface Author {
  reach: Reach;
  isBusy: boolean;
  waiting: Waiting[];
}

/**
 * Links that one author asks for while a transaction of his is under way are created together in the next: one commit and one
 * announcement for all of them. Two at a time would be twice the statements. What each of them becomes is as if they had been created
 * one after the other. Those that come under a key, which may wait for another process, share theirs.
 */
export class SharedCreations {
  readonly #authors = new Map<string, Author>();

  /**
   * @param createAll calls `onCommit` once its transaction is over and others may begin, if it gets that far; throws
   * {@link WrongOfOne} for them to be created one by one
   */
  constructor(
    private readonly createAll: (
      reach: Reach,
      asked: readonly Asked[],
      onCommit: () => void,
    ) => Promise<readonly Settled[]>,
  ) {}

  create(reach: Reach, asked: Asked): Promise<Settled> {
    const actor = currentActor();
    const author = JSON.stringify([reach, nameOf(actor), asked.once !== undefined]);
    const of = this.#authors.get(author) ?? { reach, isBusy: false, waiting: [] };
    this.#authors.set(author, of);
    return new Promise((resolve, reject) => {
      of.waiting.push({ asked, actor, resolve, reject });
      if (!of.isBusy) void this.#run(author, of);
    });
  }

  async #run(author: string, of: Author): Promise<void> {
    of.isBusy = true;
    while (of.waiting.length > 0) await this.#createTogether(of.reach, takeNext(of));
    this.#authors.delete(author);
  }

  /** Until their transaction is over; it may be about to be announced. Never throws. */
  #createTogether(reach: Reach, links: readonly Waiting[]): Promise<void> {
    const [first, ...others] = links;
    const actor = first?.actor ?? null;
    const asked = links.map((link) => link.asked);
    const create = (onCommit: () => void) =>
      actingAs(others.length === 0 ? actor : nameOf(actor), () => this.createAll(reach, asked, onCommit));
    const settle = (settled: readonly Settled[]) =>
      links.forEach(({ resolve }, place) => resolve(settled[place] as Settled));
    const refuse = async (error: unknown) => {
      // What PostgreSQL takes of one of them in bad part must not be the others' trouble.
      if (others.length > 0 && isOfOne(error)) for (const one of links) await this.#createTogether(reach, [one]);
      else for (const { reject } of links) reject(error instanceof WrongOfOne ? error.cause : error);
    };
    return new Promise((over) => void create(over).then(settle, refuse).finally(over));
  }
}

/** At most so many, and one of each key: the second finds the first's answer. */
function takeNext(of: Author): Waiting[] {
  const keys = new Set<string>();
  const next: Waiting[] = [];
  const left: Waiting[] = [];
  for (const one of of.waiting) {
    const key = one.asked.once?.only.key;
    const isTaken = next.length < LINKS_PER_TRANSACTION && (key === undefined || !keys.has(key));
    if (key !== undefined) keys.add(key);
    (isTaken ? next : left).push(one);
  }
  of.waiting = left;
  return next;
}

/** Apart from the one request: the audit log names it only where a transaction is of no other. */
function nameOf<Given extends Actor | null>(actor: Given): Given {
  return actor === null ? actor : { ...actor, requestId: null };
}

/** Nothing was committed, and it may be due to what one of them holds: PostgreSQL refused a statement, or we did. */
function isOfOne(error: unknown): boolean {
  if (error instanceof WrongOfOne) return true;
  return postgresErrorCode(error).length === 5 && ['data', 'defect'].includes(classifyPostgresError(error));
}
