import type { Logger } from '@hopcount/runtime';

import type { LinkDatabase } from './link-database.js';
import { keyOf } from './link-check.js';
import type { LinkMemory } from './link-memory.js';
import type { LinkRedis } from './link-redis.js';
import { type LinkKey, resolutionOf } from './resolved-link.js';

/** As many as one statement reads. */
const LINKS = 1_000;
const NOTE_EVERY_MS = 30_000;
/** Longest a start waits for them; what comes later is still taken. */
const PATIENCE_MS = 1_000;

export interface HotLinkParts {
  memory: LinkMemory;
  database: LinkDatabase;
  redis: LinkRedis;
  logger: Logger;
}

/**
 * Links that gateways are asked for, noted in Redis, so that one that starts has them before it says that it is ready.
 * A help and nothing more: without Redis or PostgreSQL it starts with nothing, as it would without this.
 */
export class HotLinks {
  #notedAtMs = -Infinity;
  /** Links that changed while others were loaded; undefined while none are. */
  #changed: Set<string> | undefined;

  constructor(
    private readonly parts: HotLinkParts,
    private readonly nowMs: () => number,
  ) {}

  /** Now and then: what this gateway was asked for last. */
  note(): void {
    const { memory, database, redis } = this.parts;
    if (database.incarnation === undefined || this.nowMs() - this.#notedAtMs < NOTE_EVERY_MS) return;
    this.#notedAtMs = this.nowMs();
    const links = memory.hot(LINKS);
    if (links.length > 0) void redis.noteHot(database.incarnation, links, LINKS);
  }

  /** What is being loaded may be older. */
  onChange(name: string): void {
    this.#changed?.add(name);
  }

  /** @returns how many were loaded in time; never throws */
  async load(): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, 0);
    });
    const loaded = this.#load().catch((error: unknown) => {
      this.parts.logger.warn({ err: error }, 'hot links could not be loaded; each is loaded at its first visit');
      return 0;
    });
    return Promise.race([loaded, late]).finally(() => clearTimeout(timer));
  }

  async #load(): Promise<number> {
    const { memory, database, redis } = this.parts;
    if (database.incarnation === undefined || database.isAway) return 0;
    const changed = new Set<string>();
    this.#changed = changed;
    try {
      const keys: LinkKey[] = await redis.hotLinks(database.incarnation, LINKS);
      const askedAtMs = this.nowMs();
      let loaded = 0;
      await database.readAll(keys, (key, state) => {
        const name = keyOf(key);
        if (state === undefined || changed.has(name)) return;
        if (memory.preload(name, resolutionOf(state), askedAtMs)) loaded += 1;
      });
      return loaded;
    } finally {
      this.#changed = undefined;
    }
  }
}
