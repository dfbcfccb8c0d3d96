import { availabilityOf, createRedis, type RedisClient, type RedisOptions } from '@hopcount/redis';

import type { LinkKey } from './resolved-link.js';

const CHANNEL = 'hc:link-changes';

/** Tells every gateway which links were created, edited or deleted. False when Redis did not take it. */
export async function publishLinkChanges(redis: RedisClient, changed: readonly LinkKey[]): Promise<boolean> {
  const message = JSON.stringify(changed.map(({ domain, code }) => ({ domain, code })));
  const receivers = await availabilityOf(redis).ask('link-publish', () => redis.publish(CHANNEL, message));
  return receivers !== undefined;
}

export interface LinkChangeListener {
  /** A link was created, edited or deleted. */
  onChange(changed: LinkKey): void;
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
      for (const changed of parseChanges(message)) listener.onChange(changed);
    });
  }

  close(): void {
    this.#client.disconnect();
  }
}

function parseChanges(message: string): LinkKey[] {
  try {
    return (JSON.parse(message) as LinkKey[]).filter((key) => typeof (key.domain && key.code) === 'string');
  } catch {
    return [];
  }
}
