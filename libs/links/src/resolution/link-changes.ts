import { availabilityOf, type RedisClient, type RedisOptions, RedisSubscription } from '@hopcount/redis';

import type { LinkKey } from './resolved-link.js';

const CHANNEL = 'hc:link-changes';

/** A link, or (without a code) a domain whose settings changed; gateways of the version before leave these out. */
type Change = Pick<LinkKey, 'domain'> & { code: string | null };

/** Tells every gateway which links were created, edited or deleted. False when Redis did not take it. */
export async function publishLinkChanges(redis: RedisClient, changed: readonly Change[]): Promise<boolean> {
  const message = JSON.stringify(changed.map(({ domain, code }) => ({ domain, code: code ?? undefined })));
  const receivers = await availabilityOf(redis).ask('link-publish', () => redis.publish(CHANNEL, message));
  return receivers !== undefined;
}

export interface LinkChangeListener {
  /** A link was created, edited or deleted. */
  onChange(changed: LinkKey): void;
  /** The settings of a domain were changed. */
  onDomainChange(): void;
  /** The subscription is new: changes before this moment may have been missed. */
  onSubscribed(): void;
}

/** Hears of every change while it is subscribed, and when it may have missed some. */
export class LinkChangeSubscription {
  readonly #subscription: RedisSubscription;

  constructor(options: RedisOptions, listener: LinkChangeListener) {
    this.#subscription = new RedisSubscription(options, CHANNEL, {
      onSubscribed: () => listener.onSubscribed(),
      onMessage: (message) => {
        const changes = parseChanges(message);
        for (const { domain, code } of changes) if (code !== null) listener.onChange({ domain, code });
        if (changes.some(({ code }) => code === null)) listener.onDomainChange();
      },
    });
  }

  close(): void {
    this.#subscription.close();
  }
}

function parseChanges(message: string): Change[] {
  try {
    return (JSON.parse(message) as Partial<Change>[]).flatMap(({ domain, code = null }) => {
      return typeof domain === 'string' && domain !== '' && code !== '' ? [{ domain, code }] : [];
    });
  } catch {
    // Not ours: what it may have announced is corrected by the check against PostgreSQL.
    return [];
  }
}
