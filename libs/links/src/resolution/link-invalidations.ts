import { createRedis, type RedisClient, type RedisOptions } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';

import { LinkRedis } from './link-redis.js';

const CHANNEL = 'hc:link-invalidations';
const RETRY_PAUSE_MS = 1_000;
/** Changes remembered while Redis is away; a gateway that lost the oldest learns of it by age. */
const MAX_UNSENT = 10_000;

export interface LinkChange {
  domain: string;
  code: string;
  /** The version that is now current; left out when not known. */
  version?: string;
}

/** Tells every gateway that a link was created, edited or deleted. */
export class LinkInvalidations {
  readonly #cache: LinkRedis;
  readonly #unsent = new Map<string, LinkChange>();
  #retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: RedisClient,
    private readonly logger: Logger,
  ) {
    this.#cache = new LinkRedis(redis);
  }

  /**
   * Call after the change is committed. Takes the link out of Redis, then tells the gateways: the
   * other way round a gateway could load the old copy again. Never throws. While Redis is away the
   * change is kept and sent later: its old copy would otherwise live on in Redis for days.
   */
  async publish(change: LinkChange): Promise<void> {
    if (await this.#send(change)) return;
    this.logger.warn({ domain: change.domain }, 'a changed link is announced as soon as Redis answers');
    if (this.#unsent.size < MAX_UNSENT) this.#unsent.set(`${change.domain}/${change.code}`, change);
    this.#retry ??= setInterval(() => void this.#sendUnsent(), RETRY_PAUSE_MS).unref();
  }

  close(): void {
    clearInterval(this.#retry);
  }

  async #send(change: LinkChange): Promise<boolean> {
    if (!(await this.#cache.invalidate(change.domain, change.code, change.version))) return false;
    try {
      await this.redis.publish(CHANNEL, JSON.stringify(change));
      return true;
    } catch {
      return false;
    }
  }

  async #sendUnsent(): Promise<void> {
    for (const [key, change] of this.#unsent) {
      if (!(await this.#send(change))) return;
      if (this.#unsent.get(key) === change) this.#unsent.delete(key);
    }
  }
}

export interface LinkChangeListener {
  /** A link was created, edited or deleted. */
  onChange(change: LinkChange): void;
  /** The subscription is new: changes before this moment may have been missed. */
  onSubscribed(): void;
}

/** Subscribes on a connection of its own (a subscribed connection takes no other commands). */
export class LinkChangeSubscription {
  readonly #client: RedisClient;

  constructor(options: RedisOptions, listener: LinkChangeListener) {
    this.#client = createRedis(options);
    this.#client.on('ready', () => {
      this.#client.subscribe(CHANNEL).then(
        () => listener.onSubscribed(),
        (error: unknown) => options.logger.warn({ err: error }, 'link changes cannot be subscribed to'),
      );
    });
    this.#client.on('message', (_channel: string, message: string) => {
      const change = parseChange(message);
      if (change !== undefined) listener.onChange(change);
    });
  }

  close(): void {
    this.#client.disconnect();
  }
}

function parseChange(message: string): LinkChange | undefined {
  try {
    const change = JSON.parse(message) as Partial<LinkChange>;
    if (typeof change.domain !== 'string' || typeof change.code !== 'string') return undefined;
    return { domain: change.domain, code: change.code };
  } catch {
    return undefined;
  }
}
