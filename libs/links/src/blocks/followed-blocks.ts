import type { Queryable } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';

import type { BlockList } from './block-list.js';
import { KnownBlocks } from './known-blocks.js';

/** From one look at the blocks to the next. */
const PAUSE_MS = 5_000;

/**
 * For gateways: the blocks, a look every five seconds. While PostgreSQL is away those of the last look hold; a gateway
 * that starts without PostgreSQL blocks nothing until it answers, since links must not wait for it.
 */
export class FollowedBlocks {
  readonly #known: KnownBlocks;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    database: Queryable,
    private readonly logger: Logger,
    private readonly pauseMs = PAUSE_MS,
  ) {
    this.#known = new KnownBlocks(database);
  }

  get list(): BlockList {
    return this.#known.list;
  }

  /** Whether PostgreSQL has said anything yet. */
  get isKnown(): boolean {
    return this.#known.list.version >= 0n;
  }

  /** After the first look, whether it succeeded or not. */
  async start(): Promise<void> {
    try {
      await this.#known.look();
    } catch (error) {
      this.logger.warn({ err: error }, 'PostgreSQL does not answer; blocks stay as they are');
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), this.pauseMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
