import type { ReportCause } from '@hopcount/contracts';
import { addAbuseReport } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { type BucketSize, LocalBuckets, type TokenBuckets } from '@hopcount/redis';
import { inTime, limitedClient, type Logger } from '@hopcount/runtime';

/** Of a client (an IPv6 /64): five at once, then one in ten minutes. */
const OF_CLIENT: BucketSize = { burst: 5, perSecond: 1 / 600 };
/** Of a network (an IPv6 /48), of which a single customer has all. */
const OF_NETWORK: BucketSize = { burst: 20, perSecond: 1 / 150 };
/** Of one link. */
const OF_LINK: BucketSize = { burst: 60, perSecond: 1 / 60 };
/** Of all links: PostgreSQL has other work. */
const OF_ALL: BucketSize = { burst: 300, perSecond: 1 };
/** Longest time a visitor waits; PostgreSQL may be silent. */
const PATIENCE_MS = 1_500;

export type ReportOutcome = 'taken' | 'limited' | 'full' | 'failed';

interface Parts {
  database: Queryable;
  buckets: Pick<TokenBuckets, 'take'>;
  logger: Logger;
  /** Of the names of clients. */
  secret: string;
}

/** What visitors report of links, limited over all gateways; by each process for itself while Redis is away. */
export class LinkReports {
  /** Since the start of the process. */
  readonly outcomes: Record<ReportOutcome, number> = { taken: 0, limited: 0, full: 0, failed: 0 };
  readonly #local = new LocalBuckets();
  readonly #clientOf: (address: string) => string;
  readonly #networkOf: (address: string) => string;
  /** One at a time: the connections are those that find links. */
  #isWriting = false;

  constructor(private readonly parts: Parts) {
    this.#clientOf = limitedClient(parts.secret);
    this.#networkOf = limitedClient(parts.secret, 48);
  }

  /** @param address empty when nobody knows it. Never rejects. */
  async report(linkId: string, cause: ReportCause, address: string): Promise<ReportOutcome> {
    const outcome = await this.#report(linkId, cause, address);
    this.outcomes[outcome] += 1;
    return outcome;
  }

  async #report(linkId: string, cause: ReportCause, address: string): Promise<ReportOutcome> {
    for (const [key, size] of [
      [`{${this.#clientOf(address)}}:reports`, OF_CLIENT],
      [`{${this.#networkOf(address)}}:network-reports`, OF_NETWORK],
      [`{link:${linkId}}:reports`, OF_LINK],
      ['{everybody}:reports', OF_ALL],
    ] as const) {
      const withdrawal = [{ ...size, key: `hc:rate:${key}`, tokens: 1 }];
      const taken = (await this.parts.buckets.take(withdrawal)) ?? this.#local.take(withdrawal);
      if (!taken.isAdmitted) return 'limited';
    }
    if (this.#isWriting) return 'failed';
    try {
      return (await inTime(this.#write(linkId, cause), PATIENCE_MS)) ? 'taken' : 'full';
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'a report of a link cannot be kept');
      return 'failed';
    }
  }

  async #write(linkId: string, cause: ReportCause): Promise<boolean> {
    this.#isWriting = true;
    try {
      return await addAbuseReport(this.parts.database, linkId, cause);
    } finally {
      this.#isWriting = false;
    }
  }
}
