import { type Logger, parseRedisUrl } from '@hopcount/runtime';
import { Redis } from 'ioredis';

import { connectionSettings, createSingle, pauseBeforeAttempt, type RedisOptions } from './create-redis.js';
import { timeOutInOwnTime } from './own-time.js';

export interface SubscriptionListener {
  onMessage(message: string): void;
  /** The subscription is new: what was published before this moment may have been missed. */
  onSubscribed(): void;
}

/**
 * One channel, on a connection of its own (a subscribed connection takes no other commands), for ever. Nodes of a cluster pass
 * on to each other what is published at one of them, so any of them does; ioredis' own subscriber of a cluster goes from one
 * to the next without a word, and what was missed meanwhile would be missed.
 */
export class RedisSubscription {
  #client: Redis | undefined;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #logger: Logger;

  constructor(
    private readonly options: RedisOptions,
    private readonly channel: string,
    private readonly listener: SubscriptionListener,
  ) {
    timeOutInOwnTime();
    this.#logger = options.logger.child({ redis: options.name });
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#client?.disconnect();
  }

  #open(): void {
    const client = this.#connect();
    this.#client = client;
    client.on('error', (error: Error) => this.#logger.debug({ err: error }, 'the subscription lost its connection'));
    client.on('ready', () => {
      this.#attempts = 0;
      client.subscribe(this.channel).then(
        () => this.listener.onSubscribed(),
        (error: unknown) => this.#logger.warn({ err: error, channel: this.channel }, 'cannot be subscribed to'),
      );
    });
    client.on('message', (_channel: string, message: string) => this.listener.onMessage(message));
  }

  #connect(): Redis {
    const servers = parseRedisUrl(this.options.url);
    if (servers.kind !== 'cluster') return createSingle(servers, this.options);
    const { nodes, login, tls } = servers;
    const node = nodes[this.#attempts % nodes.length]!;
    const client = new Redis({
      ...{ ...connectionSettings(this.options), ...login, ...node, ...(tls && { tls: {} }) },
      retryStrategy: () => null,
    });
    client.on('end', () => this.#openNext());
    return client;
  }

  /** At another node. */
  #openNext(): void {
    if (this.#isClosed) return;
    this.#attempts += 1;
    this.#timer = setTimeout(() => this.#open(), pauseBeforeAttempt(this.#attempts));
  }
}
