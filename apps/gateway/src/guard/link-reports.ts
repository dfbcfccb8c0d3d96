import type { ReportCause } from '@hopcount/contracts';
import { addAbuseReport } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { type BucketSize, LocalBuckets, type TokenBuckets } from '@hopcount/redis';
import { limitedClient, type Logger } from '@hopcount/runtime';

/** Of a client (an IPv6 /64): five at once, then one in ten minutes. */
const OF_CLIENT: BucketSize = { burst: 5, perSecond: 1 / 600 };
/** Of one link. */
const OF_LINK: BucketSize = { burst: 60, perSecond: 1 / 60 };
/** Of all links: PostgreSQL has other work. */
const OF_ALL: BucketSize = { burst: 300, perSecond: 1 };

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
  readonly #nameOf: (address: string) => string;

  constructor(private readonly parts: Parts) {
    this.#nameOf = limitedClient(parts.secret);
  }

  /** @param address empty when nobody knows it. Never rejects. */
  async report(linkId: string, cause: ReportCause, address: string): Promise<ReportOutcome> {
    const outcome = await this.#report(linkId, cause, address);
    this.outcomes[outcome] += 1;
    return outcome;
  }

  async #report(linkId: string, cause: ReportCause, address: string): Promise<ReportOutcome> {
    for (const [name, size] of [
      [this.#nameOf(address), OF_CLIENT],
      [`link:${linkId}`, OF_LINK],
      ['everybody', OF_ALL],
    ] as const) {
      const withdrawal = [{ ...size, key: `hc:rate:{${name}}:reports`, tokens: 1 }];
      const taken = (await this.parts.buckets.take(withdrawal)) ?? this.#local.take(withdrawal);
      if (!taken.isAdmitted) return 'limited';
    }
    try {
      return (await addAbuseReport(this.parts.database, linkId, cause)) ? 'taken' : 'full';
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'a report of a link cannot be kept');
      return 'failed';
    }
  }
}
