import type { ReportCause } from '@hopcount/contracts';
import { addAbuseReport } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { AddressBuckets, type BucketSize, LocalBuckets, type TokenBuckets } from '@hopcount/redis';
import { inTime, type Logger } from '@hopcount/runtime';

/** Of a client: five at once, then one in ten minutes. */
const OF_CLIENT: BucketSize = { burst: 5, perSecond: 1 / 600 };
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
  readonly #addresses: AddressBuckets;
  /** One at a time: the connections are those that find links. */
  #isWriting = false;

  constructor(private readonly parts: Parts) {
    this.#addresses = new AddressBuckets(parts.secret);
  }

  /** @param address empty when nobody knows it. Never rejects. */
  async report(linkId: string, cause: ReportCause, address: string): Promise<ReportOutcome> {
    const outcome = await this.#report(linkId, cause, address);
    this.outcomes[outcome] += 1;
    return outcome;
  }

  async #report(linkId: string, cause: ReportCause, address: string): Promise<ReportOutcome> {
    for (const withdrawal of [
      this.#addresses.of(address, { name: 'reports', size: OF_CLIENT, tokens: 1 }),
      [{ ...OF_LINK, key: `hc:rate:{link:${linkId}}:reports`, tokens: 1 }],
      [{ ...OF_ALL, key: 'hc:rate:{everybody}:reports', tokens: 1 }],
    ]) {
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
