import type { Logger } from '@hopcount/runtime';

import type { LinkDatabase } from './link-database.js';
import type { LinkMemory } from './link-memory.js';
import type { LinkRedis } from './link-redis.js';
import { type LinkKey, type LinkState, resolutionOf } from './resolved-link.js';

export interface LinkCheckParts {
  memory: LinkMemory;
  database: LinkDatabase;
  redis: LinkRedis;
  logger: Logger;
}

/**
 * Holds the links in memory against PostgreSQL, whole rows in batches. Versions alone would not do: after a restore
 * an edit may give another row a version that was there before. What differs was changed without this
 * gateway hearing of it; it is corrected here and in Redis.
 */
export class LinkCheck {
  readonly outcomes = { same: 0, corrected: 0, ignored: 0 };
  #isAllDue = false;

  constructor(
    private readonly parts: LinkCheckParts,
    private readonly nowMs: () => number,
  ) {}

  /** Changes may have been missed: the next run checks all. */
  checkAll(): void {
    this.#isAllDue = true;
  }

  get isAllDue(): boolean {
    return this.#isAllDue;
  }

  /** @throws when PostgreSQL does not answer; what it did not answer stays due */
  async run(): Promise<void> {
    const { memory, database } = this.parts;
    const held = memory.toCheck(this.#isAllDue ? 'all' : 'due');
    const all = this.#isAllDue;
    this.#isAllDue = false;
    const askedAtMs = this.nowMs();
    try {
      await database.readAll(held, (link, state) => {
        const outcome = memory.checked(keyOf(link), link, resolutionOf(state), askedAtMs);
        this.outcomes[outcome] += 1;
        if (outcome === 'corrected') this.#correctRedis(link, state);
      });
    } catch (error) {
      this.#isAllDue ||= all;
      throw error;
    }
  }

  #correctRedis({ domain, code }: LinkKey, state: LinkState | undefined): void {
    const { database, redis, logger } = this.parts;
    logger.warn({ domain, code }, 'a change of this link was not announced here; corrected');
    const incarnation = database.incarnation;
    if (incarnation === undefined) return;
    void (state === undefined ? redis.drop(incarnation, { domain, code }) : redis.put(incarnation, state));
  }
}

export function keyOf({ domain, code }: LinkKey): string {
  return `${domain}/${code}`;
}
