import {
  AddressBuckets,
  type BucketSize,
  type LimitUse,
  type NamedWithdrawal,
  shownLimits,
  type TokenBuckets,
} from '@hopcount/redis';
import { type ClientAddress, rateLimitFields, retryAfter } from '@hopcount/runtime';

/** As they are at each request. */
interface Limits {
  readonly now: { rateLimitRedirects: boolean; redirectLimit: BucketSize; notFoundLimit: BucketSize };
}

/**
 * Requests of each client over all gateways, and those that found nothing among them: whoever tries codes is refused, also
 * what would be found. Open while Redis is away: a redirect never fails for its sake.
 */
export class RedirectLimiter {
  /** Since the start of the process; `open`: not asked, as Redis is away. */
  readonly outcomes = { admitted: 0, refused: 0, open: 0 };
  readonly #addresses: AddressBuckets;

  constructor(
    private readonly buckets: Pick<TokenBuckets, 'take'>,
    private readonly limits: Limits,
    /** Of the names of clients. */
    secret: string,
    private readonly use: Pick<LimitUse, 'note'>,
  ) {
    this.#addresses = new AddressBuckets(secret);
  }

  get isOn(): boolean {
    return this.limits.now.rateLimitRedirects;
  }

  /** The header fields of a refusal; undefined: the request is admitted. Never rejects. */
  async refusalOf({ address }: ClientAddress): Promise<string[] | undefined> {
    const { redirectLimit } = this.limits.now;
    const wanted = [
      ...this.#addresses.of(address, { name: 'requests', size: redirectLimit, tokens: 1, growth: 'requests' }),
      ...this.#notFound(address, 0),
    ];
    const taken = await this.buckets.take(wanted);
    if (taken !== undefined) this.use.note(wanted, taken);
    if (taken === undefined || taken.isAdmitted) {
      this.outcomes[taken === undefined ? 'open' : 'admitted'] += 1;
      return undefined;
    }
    this.outcomes.refused += 1;
    return [...rateLimitFields(shownLimits(wanted, taken)), retryAfter(taken.retryAfterMs)].flat();
  }

  /** Nobody waits for it: as many as are under way at once may come on top. */
  noteNotFound({ address }: ClientAddress): void {
    void this.buckets.take(this.#notFound(address, 1));
  }

  #notFound(address: string, tokens: number): NamedWithdrawal[] {
    return this.#addresses.of(address, { name: 'not-found', size: this.limits.now.notFoundLimit, tokens });
  }
}
