import { type BucketSize, LocalBuckets, TokenBuckets, type Withdrawal, type Withdrawn } from '@hopcount/redis';
import type { ApiKeyIdentity } from '@hopcount/identities';
import { AppError, clientAddress, limitedClient, rateLimitFields, retryAfter, secretsOf } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { ApiConfig } from '../api.config.js';
import type { ApiMetrics } from '../api.metrics.js';
import type { RoutedOperation } from '../http/operation.js';

type LimitName = 'reads' | 'statistics' | 'writes' | 'creates' | 'failed-keys';
type Wanted = Withdrawal & { name: LimitName };

type Settings = Pick<
  ApiConfig,
  | 'apiRateLimits'
  | 'readLimit'
  | 'statisticsLimit'
  | 'writeLimit'
  | 'createLimit'
  | 'failedKeyLimit'
  | 'hopcountSecret'
  | 'hopcountOtherSecret'
  | 'hopcountHashSecret'
  | 'trustedProxies'
>;

/**
 * What each API key may ask in a time, by class of route, and create; and how often a client may be wrong about its key. Over
 * all api processes; of each one alone while Redis is away.
 */
export class RequestLimits {
  readonly #local = new LocalBuckets();
  readonly #sizes: Record<LimitName, BucketSize>;
  readonly #nameOf: (address: string) => string;

  constructor(
    private readonly settings: Settings,
    private readonly buckets: Pick<TokenBuckets, 'take'>,
    private readonly metrics: Pick<ApiMetrics, 'rateLimited' | 'rateLimitsAlone'>,
  ) {
    const { readLimit, statisticsLimit, writeLimit, createLimit, failedKeyLimit } = settings;
    this.#sizes = {
      reads: readLimit,
      statistics: statisticsLimit,
      writes: writeLimit,
      creates: createLimit,
      'failed-keys': failedKeyLimit,
    };
    this.#nameOf = limitedClient(secretsOf(settings).hashing);
  }

  /** Before anything is done for the request. @throws AppError `too-many-requests`, `invalid-data`: more links than are ever admitted */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: RoutedOperation,
    { id }: ApiKeyIdentity,
  ): Promise<void> {
    const key = `{key:${id}}`;
    const wanted = [this.#wanted(classOf(operation), key, 1)];
    if (operation.creates === true) {
      const links = linksIn(request.body);
      this.#expectAdmissible(links);
      wanted.push(this.#wanted('creates', key, links));
    }
    await this.#take(reply, wanted);
  }

  /** One that is unknown, disabled or expired; forwarding headers count from trusted proxies only. @throws AppError `too-many-requests` */
  async noteFailedKey({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const forwardedFor = raw.headers['x-forwarded-for'];
    const { trustedProxies } = this.settings;
    const client = clientAddress(raw.socket.remoteAddress, forwardedFor?.toString(), trustedProxies);
    if (client === undefined) return;
    await this.#take(reply, [this.#wanted('failed-keys', `{${this.#nameOf(client.address)}}`, 1)]);
  }

  #wanted(name: LimitName, whose: string, tokens: number): Wanted {
    const size = this.#sizes[name];
    return { ...size, name, key: `hc:rate:${whose}:${name}`, tokens };
  }

  #expectAdmissible(links: number): void {
    const { apiRateLimits, createLimit } = this.settings;
    if (!apiRateLimits || links <= createLimit.burst) return;
    const message = `At most ${createLimit.burst} links can be created at once here (CREATE_LIMIT); send fewer in a batch.`;
    throw new AppError('invalid-data', message, { details: { invalidElements: ['shortUrls'] } });
  }

  async #take(reply: FastifyReply, wanted: readonly Wanted[]): Promise<void> {
    if (!this.settings.apiRateLimits) return;
    let taken = await this.buckets.take(wanted);
    if (taken === undefined) {
      this.metrics.rateLimitsAlone.inc();
      taken = this.#local.take(wanted);
    }
    tell(reply, wanted, taken);
    if (taken.isAdmitted) return;
    const exhausted = wanted.filter(({ tokens }, index) => (taken.buckets[index]?.left ?? 0) < tokens);
    for (const { name } of exhausted) this.metrics.rateLimited.inc({ limit: name });
    const names = exhausted.map(({ name }) => name).join(', ');
    throw new AppError('too-many-requests', `Too many requests (${names}); try again after the time in Retry-After.`);
  }
}

function tell(reply: FastifyReply, wanted: readonly Wanted[], { buckets, isAdmitted, retryAfterMs }: Withdrawn): void {
  const shown = wanted.map((limit, index) => ({ ...limit, ...(buckets[index] ?? { left: 0, fullInMs: 0 }) }));
  for (const [name, value] of rateLimitFields(shown)) reply.header(name, value);
  if (!isAdmitted) reply.header(...retryAfter(retryAfterMs));
}

function classOf({ method, tag }: RoutedOperation): LimitName {
  if (method !== 'GET') return 'writes';
  return tag === 'Statistics' ? 'statistics' : 'reads';
}

/** Not checked yet: what is no batch is refused afterwards. */
function linksIn(body: unknown): number {
  const { shortUrls } = (body ?? {}) as { shortUrls?: unknown };
  return Array.isArray(shortUrls) ? Math.max(1, shortUrls.length) : 1;
}
