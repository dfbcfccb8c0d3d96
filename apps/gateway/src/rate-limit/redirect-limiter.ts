import type { BucketSize, TokenBuckets, Withdrawn } from '@hopcount/redis';
import { type ClientAddress, limitedClient, rateLimitFields, retryAfter } from '@hopcount/runtime';

interface Sizes {
  /** Of the names of clients. */
  secret: string;
  redirectLimit: BucketSize;
  notFoundLimit: BucketSize;
}

/**
 * Requests of each client over all gateways, and those that found nothing among them: whoever tries codes is refused, also
 * what would be found. Open while Redis is away: a redirect never fails for its sake.
 */
export class RedirectLimiter {
  /** Since the start of the process; `open`: not asked, as Redis is away. */
  readonly outcomes = { admitted: 0, refused: 0, open: 0 };
  readonly #nameOf: (address: string) => string;

  constructor(
    private readonly buckets: Pick<TokenBuckets, 'take'>,
    private readonly sizes: Sizes,
  ) {
    this.#nameOf = limitedClient(sizes.secret);
  }

  /** The header fields of a refusal; undefined: the request is admitted. Never rejects. */
  async refusalOf(client: ClientAddress): Promise<string[] | undefined> {
    const { redirectLimit, notFoundLimit } = this.sizes;
    const taken = await this.buckets.take([
      { ...redirectLimit, key: this.#keyOf(client, 'requests'), tokens: 1 },
      { ...notFoundLimit, key: this.#keyOf(client, 'not-found'), tokens: 0 },
    ]);
    if (taken === undefined || taken.isAdmitted) {
      this.outcomes[taken === undefined ? 'open' : 'admitted'] += 1;
      return undefined;
    }
    this.outcomes.refused += 1;
    return this.#fieldsOf(taken);
  }

  /** Nobody waits for it: as many as are under way at once may come on top. */
  noteNotFound(client: ClientAddress): void {
    void this.buckets.take([{ ...this.sizes.notFoundLimit, key: this.#keyOf(client, 'not-found'), tokens: 1 }]);
  }

  #keyOf({ address }: ClientAddress, bucket: string): string {
    return `hc:rate:{${this.#nameOf(address)}}:${bucket}`;
  }

  #fieldsOf({ buckets, retryAfterMs }: Withdrawn): string[] {
    const { redirectLimit, notFoundLimit } = this.sizes;
    const shown = [
      { name: 'requests', ...redirectLimit },
      { name: 'not-found', ...notFoundLimit },
    ].map((limit, index) => ({ ...limit, ...(buckets[index] ?? { left: 0, fullInMs: 0 }) }));
    return [...rateLimitFields(shown), retryAfter(retryAfterMs)].flat();
  }
}
