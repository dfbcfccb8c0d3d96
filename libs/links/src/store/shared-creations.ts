import { classifyPostgresError, postgresErrorCode } from '@hopcount/postgres';
import { type Actor, actAs, currentActor, type Reach, withinRequest } from '@hopcount/runtime';

import type { Created } from './create-links.js';
import type { HashedLink } from './new-link.js';

const LINKS_PER_TRANSACTION = 200;

interface Waiting {
  given: HashedLink;
  actor: Actor | null;
  resolve: (created: Created) => void;
  reject: (error: unknown) => void;
}

interface Author {
  reach: Reach;
  isBusy: boolean;
  waiting: Waiting[];
}

/**
 * Links that one author asks for while a transaction of his is under way are created together in the next: one commit and one
 * announcement for all of them. Two at a time would be twice the statements. What each of them becomes is as if they had been created one after the other.
 */
export class SharedCreations {
  readonly #authors = new Map<string, Author>();

  /** @param createAll calls `onCommit` once its transaction is over and others may begin, if it gets that far */
  constructor(
    private readonly createAll: (
      reach: Reach,
      given: readonly HashedLink[],
      onCommit: () => void,
    ) => Promise<Created[]>,
  ) {}

  create(reach: Reach, given: HashedLink): Promise<Created> {
    const actor = currentActor();
    const author = JSON.stringify([reach, nameOf(actor)]);
    const of = this.#authors.get(author) ?? { reach, isBusy: false, waiting: [] };
    this.#authors.set(author, of);
    return new Promise((resolve, reject) => {
      of.waiting.push({ given, actor, resolve, reject });
      if (!of.isBusy) void this.#run(author, of);
    });
  }

  async #run(author: string, of: Author): Promise<void> {
    of.isBusy = true;
    while (of.waiting.length > 0) await this.#createTogether(of.reach, of.waiting.splice(0, LINKS_PER_TRANSACTION));
    this.#authors.delete(author);
  }

  /** Until their transaction is over; it may be about to be announced. Never throws. */
  #createTogether(reach: Reach, links: readonly Waiting[]): Promise<void> {
    const [first, ...others] = links;
    const actor = first?.actor ?? null;
    const given = links.map((one) => one.given);
    const create = (onCommit: () => void) =>
      withinRequest(() => {
        if (actor !== null) actAs(others.length === 0 ? actor : nameOf(actor));
        return this.createAll(reach, given, onCommit);
      });
    const settle = (created: readonly Created[]) =>
      links.forEach(({ resolve }, place) => resolve(created[place] as Created));
    const refuse = async (error: unknown) => {
      // What PostgreSQL takes of one of them in bad part must not be the others' trouble.
      if (others.length > 0 && isOfOne(error)) for (const one of links) await this.#createTogether(reach, [one]);
      else for (const { reject } of links) reject(error);
    };
    return new Promise((over) => void create(over).then(settle, refuse).finally(over));
  }
}

/** Apart from the one request: the audit log names it only where a transaction is of no other. */
function nameOf<Given extends Actor | null>(actor: Given): Given {
  return actor === null ? actor : { ...actor, requestId: null };
}

/** PostgreSQL refused a statement, so nothing was committed, and it may be due to what one of them holds. */
function isOfOne(error: unknown): boolean {
  return postgresErrorCode(error).length === 5 && ['data', 'defect'].includes(classifyPostgresError(error));
}
