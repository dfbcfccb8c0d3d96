import type { Logger } from '@hopcount/runtime';
import { type Cluster, type Redis, ReplyError } from 'ioredis';

import type { RedisMetrics } from '../redis.metrics.js';
import { Breaker } from './breaker.js';
import { nodeOf } from './nodes.js';
import { writeTogether } from './write-together.js';

/**
 * Replies that say that this server cannot do it now, whatever is asked: they are no answers. A MOVED that a cluster's
 * client gives up on, or that a client of a single server gets, is one of them.
 */
const TROUBLE = /^(MOVED|ASK|CLUSTERDOWN|TRYAGAIN|READONLY|MASTERDOWN|LOADING|Too many Cluster redirections)/;

/**
 * Breakers around one client, so that a Redis that hangs costs one command timeout and not one per batch: one for each
 * node of a cluster, whose others go on answering, else one.
 *
 * An error *reply* is an answer and fails that call alone, unless it is one of {@link TROUBLE}.
 */
export class RedisAvailability {
  /** By the node's name; `''`: of calls that have no key, and of a client that has one node. */
  readonly #breakers = new Map<string, Breaker>();
  /** Why this Redis is not to be used, as long as the connection lasts. */
  #refusal: string | undefined;
  readonly #logger: Logger;
  readonly metrics: RedisMetrics | undefined;

  constructor(
    private readonly client: Redis | Cluster,
    options: { name: string; logger: Logger; metrics?: RedisMetrics },
  ) {
    this.#logger = options.logger.child({ redis: options.name });
    this.metrics = options.metrics;
    client.on('ready', () => {
      this.#refusal = undefined;
      for (const breaker of this.#breakers.values()) breaker.close();
      // Of nodes that left, too.
      this.#breakers.clear();
    });
    client.on('error', (error: Error) =>
      this.#logger.warn({ err: error }, 'Redis connection failed; going on without it'),
    );
  }

  /** Of a cluster: what has no key of its own, or is spread over all of its nodes. */
  isAvailable(): boolean {
    return this.client.status === 'ready' && this.#refusal === undefined && this.#breakers.get('')?.isOpen !== true;
  }

  /** Not before the next connection. */
  refuse(reason: string): void {
    this.#refusal = reason;
    this.#logger.error(reason);
  }

  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * The answer of `work`, or undefined when Redis is away or failed. Never throws.
   * @param key one of those that `work` is about: on a cluster it says whose trouble is whose
   */
  async ask<T>(operation: string, work: () => Promise<T>, key?: string): Promise<T | undefined> {
    const node = nodeOf(this.client, key);
    if (!this.#admits(node)) {
      this.metrics?.skipped.inc({ operation });
      return undefined;
    }
    writeTogether(this.client);
    try {
      return await work();
    } catch (error) {
      this.#failed(operation, error as Error, node);
      return undefined;
    }
  }

  #admits(node: string): boolean {
    if (this.client.status !== 'ready' || this.#refusal !== undefined) return false;
    return this.#breakers.get(node)?.admits() ?? true;
  }

  #failed(operation: string, error: Error, node: string): void {
    const reason = reasonOf(error);
    this.metrics?.failures.inc({ operation, reason });
    this.#logger.warn({ err: error, operation, node }, 'Redis call failed; going on without it');
    if (reason === 'reply') return;
    let breaker = this.#breakers.get(node);
    if (breaker === undefined) this.#breakers.set(node, (breaker = new Breaker(this.client, node, this.#logger)));
    breaker.open();
  }
}

function reasonOf(error: Error): 'reply' | 'timeout' | 'connection' {
  if (error.message === 'Command timed out') return 'timeout';
  return error instanceof ReplyError && !TROUBLE.test(error.message) ? 'reply' : 'connection';
}
