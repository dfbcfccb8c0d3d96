import type { Queryable } from '@hopcount/postgres';
import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';

import { LinkChangeSubscription } from './link-changes.js';
import { LinkResolver, type LinkResolverOptions } from './link-resolver.js';

const logger = createLogger({ name: 'test', level: 'silent' });

/** What a gateway process resolves links with: own caches, own connections to Redis. */
export class TestGateway {
  private constructor(
    readonly resolver: LinkResolver,
    readonly redis: RedisClient,
    private readonly subscription: LinkChangeSubscription,
  ) {}

  static async start(database: Queryable, redisUrl: string, options: LinkResolverOptions): Promise<TestGateway> {
    const redis = createRedis({ url: redisUrl, name: 'test-gateway', logger, commandTimeoutMs: 100 });
    await waitForRedis(redis, 2_000);
    const resolver = new LinkResolver(database, redis, logger, options);
    let isSubscribed = false;
    const subscription = new LinkChangeSubscription(
      { url: redisUrl, name: 'test-changes', logger },
      {
        onChange: (changed) => resolver.onChange(changed),
        onDomainChange: () => resolver.onDomainChange(),
        onSubscribed: () => {
          isSubscribed = true;
          resolver.onSubscribed();
        },
      },
    );
    await resolver.start();
    await waitUntil(() => isSubscribed, { describe: 'the subscription' });
    // The look that the subscription asks for is over, too: until the next one only changes that are announced are followed.
    await resolver.start();
    return new TestGateway(resolver, redis, subscription);
  }

  /** `unknown`, or target, group and policy. */
  async answer(host: string, code: string): Promise<string> {
    const resolution = await this.resolver.resolve(host, code);
    if (resolution.outcome === 'unknown') return 'unknown';
    const { longUrl, groupId, policy } = resolution.link;
    return `${longUrl} ${groupId}${policy === null ? '' : ` ${policy}`}`;
  }

  close(): void {
    this.resolver.stop();
    this.subscription.close();
    this.redis.disconnect();
  }
}
