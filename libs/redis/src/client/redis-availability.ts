import type { Logger } from '@hopcount/runtime';
import { type Redis, ReplyError } from 'ioredis';

import type { RedisMetrics } from '../redis.metrics.js';

const PROBE_PAUSE_MS = 250;
const SILENT_CONNECTION_MS = 10_000;
const LOG_PAUSE_MS = 10_000;

/**
 * A small breaker around one client, so that a Redis that hangs costs one command timeout and not
 * one per batch.
 *
 * States: `closed` (calls go through) → `open` on the first call that gets no answer → `closed` again
 * when a PING is answered or a new connection is ready. While open, calls are skipped and answered
 * without Redis; the first one after each pause sends a PING in the background and does not wait for
 * it. An error *reply* is an answer: it fails that call alone.
 */
export class RedisAvailability {
  #state: 'closed' | 'open' = 'closed';
  #openedAtMs = 0;
  #probeAtMs = 0;
  #probing = false;
  #lastLogAtMs = -LOG_PAUSE_MS;
  readonly #logger: Logger;
  readonly metrics: RedisMetrics | undefined;

  constructor(
    private readonly client: Redis,
    options: { name: string; logger: Logger; metrics?: RedisMetrics },
  ) {
    this.#logger = options.logger.child({ redis: options.name });
    this.metrics = options.metrics;
    client.on('ready', () => this.#close());
    client.on('error', (error: Error) => this.#log({ err: error }, 'Redis connection failed; going on without it'));
  }

  isAvailable(): boolean {
    return this.client.status === 'ready' && this.#state === 'closed';
  }

  /** The answer of `work`, or undefined when Redis is away or failed. Never throws. */
  async ask<T>(operation: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#admits()) {
      this.metrics?.skipped.inc({ operation });
      return undefined;
    }
    try {
      return await work();
    } catch (error) {
      this.#failed(operation, error as Error);
      return undefined;
    }
  }

  #admits(): boolean {
    if (this.client.status !== 'ready') return false;
    if (this.#state === 'closed') return true;
    if (!this.#probing && performance.now() >= this.#probeAtMs) void this.#probe();
    return false;
  }

  #failed(operation: string, error: Error): void {
    const reason =
      error instanceof ReplyError ? 'reply' : error.message === 'Command timed out' ? 'timeout' : 'connection';
    this.metrics?.failures.inc({ operation, reason });
    this.#log({ err: error, operation }, 'Redis call failed; going on without it');
    if (reason === 'reply' || this.#state === 'open') return;
    this.#state = 'open';
    this.#openedAtMs = performance.now();
    this.#probeAtMs = this.#openedAtMs + PROBE_PAUSE_MS;
  }

  async #probe(): Promise<void> {
    this.#probing = true;
    try {
      await this.client.ping();
      this.#close();
    } catch {
      const now = performance.now();
      this.#probeAtMs = now + PROBE_PAUSE_MS;
      // A connection whose other end vanished without a word would stay "ready" for many minutes.
      if (this.client.status === 'ready' && now - this.#openedAtMs > SILENT_CONNECTION_MS) {
        this.#openedAtMs = now;
        this.client.disconnect(true);
      }
    } finally {
      this.#probing = false;
    }
  }

  #close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#logger.info('Redis answers again');
  }

  /** An outage is thousands of failed calls; one line per pause says it. */
  #log(fields: object, message: string): void {
    const now = performance.now();
    if (now - this.#lastLogAtMs < LOG_PAUSE_MS) return;
    this.#lastLogAtMs = now;
    this.#logger.warn(fields, message);
  }
}
