import { createHmac } from 'node:crypto';

import { type BucketSize, LocalBuckets, TokenBuckets, type Withdrawal, type Withdrawn } from '@hopcount/redis';
import { MAX_COUNT_LINES } from '@hopcount/contracts';
import type { Asker } from '@hopcount/identities';
import {
  AppError,
  clientAddress,
  limitedClient,
  rateLimitFields,
  retryAfter,
  secretsOf,
  type ShownLimit,
} from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { ApiConfig } from '../api.config.js';
import type { ApiMetrics } from '../api.metrics.js';
import type { RoutedOperation } from '../http/operation.js';

type LimitName =
  | 'reads'
  | 'statistics'
  | 'writes'
  | 'creates'
  | 'host-counts'
  | 'failed-keys'
  | 'sign-ins'
  | 'sign-ins-from'
  | 'failed-sign-ins'
  | 'passwords';
/** What says which limit holds. */
type LimitedOperation = Pick<RoutedOperation, 'method' | 'tag' | 'creates' | 'feeds'>;
type Wanted = Withdrawal & { name: LimitName };

/** Of a client whose secrets were wrong too often, in this process. */
const NEW_WHILE_FAILING: BucketSize = { burst: 5, perSecond: 5 };
/** Of all such clients: no flood of look-ups, whatever number of addresses it comes from. */
const NEW_WHILE_ANY_FAIL: BucketSize = { burst: 50, perSecond: 50 };

/** Of a batch of counts, in lines: its row is kept for weeks. */
const BATCH_COST = 100;

type Settings = Pick<
  ApiConfig,
  | 'apiRateLimits'
  | 'readLimit'
  | 'statisticsLimit'
  | 'writeLimit'
  | 'createLimit'
  | 'hostCountLimit'
  | 'failedKeyLimit'
  | 'signInLimit'
  | 'signInAddressLimit'
  | 'signInAccountLimit'
  | 'hopcountSecret'
  | 'hopcountOtherSecret'
  | 'hopcountHashSecret'
  | 'trustedProxies'
>;

/**
 * What each API key and user may ask in a time, by class of route, and create; how often a client may be wrong about its key, and
 * how often somebody may try to sign in. Over all api processes; of each one alone while Redis is away, when nobody signs in.
 */
export class RequestLimits {
  readonly #local = new LocalBuckets();
  readonly #sizes: Record<LimitName, BucketSize>;
  readonly #nameOf: (address: string) => string;
  readonly #hashOf: (text: string) => string;

  constructor(
    private readonly settings: Settings,
    private readonly buckets: Pick<TokenBuckets, 'take'>,
    private readonly metrics: Pick<ApiMetrics, 'rateLimited' | 'rateLimitsAlone'>,
  ) {
    const { readLimit, statisticsLimit, writeLimit, createLimit, failedKeyLimit } = settings;
    const { signInLimit, signInAddressLimit, signInAccountLimit } = settings;
    this.#sizes = {
      reads: readLimit,
      statistics: statisticsLimit,
      writes: writeLimit,
      creates: createLimit,
      'host-counts': settings.hostCountLimit,
      'failed-keys': failedKeyLimit,
      'sign-ins': signInLimit,
      'sign-ins-from': signInAddressLimit,
      'failed-sign-ins': signInAccountLimit,
      passwords: signInLimit,
    };
    const { hashing } = secretsOf(settings);
    this.#nameOf = limitedClient(hashing);
    this.#hashOf = (text) => createHmac('sha256', hashing).update(`hopcount sign-in ${text}`).digest('base64url');
  }

  /** Before anything is done for the request. @throws AppError `too-many-requests`, `invalid-data`: more links than are ever admitted */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: LimitedOperation,
    { kind, id }: Pick<Asker, 'kind' | 'id'>,
  ): Promise<void> {
    const whose = `{${kind}:${id}}`;
    const wanted = [this.#wanted(classOf(operation), whose, 1)];
    if (operation.creates === true) {
      const links = linksIn(request.body);
      this.#expectAdmissible(links);
      wanted.push(this.#wanted('creates', whose, links));
    }
    if (operation.feeds === true) {
      const cost = Math.min(BATCH_COST + countsIn(request.body), this.settings.hostCountLimit.burst);
      wanted.push(this.#wanted('host-counts', whose, cost));
    }
    await this.#take(reply, wanted);
  }

  /** One that is unknown, disabled or expired. @throws AppError `too-many-requests` */
  async noteFailedKey(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#takeFailedKeys(request, reply, 1);
  }

  /**
   * Before a key or session is looked for that this process never found. While the client has failed too often, a few are looked
   * for all the same: a right one may share the address of guesses, and be new to this process only.
   * @throws AppError `too-many-requests`
   */
  async admitNewSecret(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const client = this.#clientOf(request);
    if (client === undefined || !this.settings.apiRateLimits) return;
    const wanted = [this.#wanted('failed-keys', `{${client}}`, 0)];
    const taken = await this.#withdraw(wanted);
    const few = [
      { ...NEW_WHILE_FAILING, key: `new-secrets:${client}`, tokens: 1 },
      { ...NEW_WHILE_ANY_FAIL, key: 'new-secrets', tokens: 1 },
    ];
    if (!taken.isAdmitted && this.#local.take(few).isAdmitted) return;
    tell(reply, wanted, taken);
    if (!taken.isAdmitted) this.#refuse(reply, wanted, taken);
  }

  /** Before a secret is looked for on an operation that anybody may ask. @throws AppError `too-many-requests` */
  async expectFewFailedKeys(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#takeFailedKeys(request, reply, 0);
  }

  /**
   * Before a password is looked at: of the account that is named, whether there is one or not, from this client; of the client;
   * and of the account from anywhere, which only failures use up: whoever knows a name keeps nobody else out at little cost. Also
   * with limits switched off, and nobody is let in while Redis does not say.
   * @throws AppError `too-many-requests`, `sign-in-unavailable`
   */
  async admitSignIn(request: FastifyRequest, reply: FastifyReply, account: string): Promise<void> {
    const client = this.#clientOf(request) ?? 'gone';
    await this.#takeForSure(reply, [
      this.#wanted('sign-ins', inSignIn(this.#hashOf(`${client} ${normal(account)}`)), 1),
      this.#wanted('sign-ins-from', inSignIn(client), 1),
      this.#failures(account, 0),
    ]);
  }

  /**
   * Before somebody is sent to a provider (which takes none, but one must be left), and before what they come back with is
   * looked at.
   * @throws AppError as `admitSignIn`
   */
  async admitProviderSignIn(request: FastifyRequest, reply: FastifyReply, tokens: 0 | 1): Promise<void> {
    const client = this.#clientOf(request) ?? 'gone';
    await this.#takeForSure(reply, [this.#wanted('sign-ins-from', inSignIn(client), tokens)]);
  }

  /** A password or a code was wrong. Attempts under way at once may be so many more than the limit. */
  async noteFailedSignIn(account: string): Promise<void> {
    await this.buckets.take([this.#failures(account, 1)]);
  }

  /** The same for somebody signed in, whom attempts of others do not hold back. @throws AppError as `admitSignIn` */
  async admitPassword(reply: FastifyReply, userId: number): Promise<void> {
    await this.#takeForSure(reply, [this.#wanted('passwords', `{user:${userId}}`, 1)]);
  }

  /** Whole; forwarding headers count from trusted proxies only. Undefined: its socket is gone. */
  addressOf({ raw }: FastifyRequest): string | undefined {
    const forwardedFor = raw.headers['x-forwarded-for'];
    const { trustedProxies } = this.settings;
    return clientAddress(raw.socket.remoteAddress, forwardedFor?.toString(), trustedProxies)?.address;
  }

  #clientOf(request: FastifyRequest): string | undefined {
    const address = this.addressOf(request);
    return address && this.#nameOf(address);
  }

  #failures(account: string, tokens: number): Wanted {
    return this.#wanted('failed-sign-ins', inSignIn(this.#hashOf(normal(account))), tokens);
  }

  #wanted(name: LimitName, whose: string, tokens: number): Wanted {
    const { burst, perSecond } = this.#sizes[name];
    return { burst, perSecond, name, key: `hc:rate:${whose}:${name}`, tokens };
  }

  #expectAdmissible(links: number): void {
    const { apiRateLimits, createLimit } = this.settings;
    if (!apiRateLimits || links <= createLimit.burst) return;
    const message = `At most ${createLimit.burst} links can be created at once here (CREATE_LIMIT); send fewer in a batch.`;
    throw new AppError('invalid-data', message, { details: { invalidElements: ['shortUrls'] } });
  }

  async #takeFailedKeys(request: FastifyRequest, reply: FastifyReply, tokens: number): Promise<void> {
    const client = this.#clientOf(request);
    if (client !== undefined) await this.#take(reply, [this.#wanted('failed-keys', `{${client}}`, tokens)]);
  }

  async #takeForSure(reply: FastifyReply, wanted: readonly Wanted[]): Promise<void> {
    const taken = await this.buckets.take(wanted);
    if (taken === undefined) {
      throw new AppError('sign-in-unavailable', 'Attempts cannot be counted right now, so none is taken.', {
        retryable: true,
      });
    }
    tell(reply, wanted, taken);
    if (!taken.isAdmitted) this.#refuse(reply, wanted, taken);
  }

  async #take(reply: FastifyReply, wanted: readonly Wanted[]): Promise<void> {
    if (!this.settings.apiRateLimits) return;
    const taken = await this.#withdraw(wanted);
    tell(reply, wanted, taken);
    if (!taken.isAdmitted) this.#refuse(reply, wanted, taken);
  }

  async #withdraw(wanted: readonly Wanted[]): Promise<Withdrawn> {
    const taken = await this.buckets.take(wanted);
    if (taken !== undefined) return taken;
    this.metrics.rateLimitsAlone.inc();
    return this.#local.take(wanted);
  }

  #refuse(reply: FastifyReply, wanted: readonly Wanted[], taken: Withdrawn): never {
    reply.header(...retryAfter(taken.retryAfterMs));
    const exhausted = wanted.filter(({ tokens }, index) => (taken.buckets[index]?.left ?? 0) < Math.max(1, tokens));
    for (const { name } of exhausted) this.metrics.rateLimited.inc({ limit: name });
    const names = exhausted.map(({ name }) => name).join(', ');
    throw new AppError('too-many-requests', `Too many requests (${names}); try again after the time in Retry-After.`);
  }
}

/** One hash tag: all of an attempt are taken at once, or none. */
function inSignIn(what: string): string {
  return `{sign-in}:${what}`;
}

function normal(account: string): string {
  return account.trim().normalize('NFC').toLowerCase();
}

function tell(reply: FastifyReply, wanted: readonly Wanted[], { buckets }: Withdrawn): void {
  const shown: ShownLimit[] = [];
  for (const [index, { name, burst, perSecond }] of wanted.entries()) {
    const { left, fullInMs } = buckets[index] ?? { left: 0, fullInMs: 0 };
    // How often others failed at an account is theirs.
    if (name !== 'failed-sign-ins') shown.push({ name, burst, perSecond, left, fullInMs });
  }
  for (const [name, value] of rateLimitFields(shown)) reply.header(name, value);
}

function classOf({ method, tag }: LimitedOperation): LimitName {
  if (method !== 'GET') return 'writes';
  return tag === 'Statistics' ? 'statistics' : 'reads';
}

/** Not checked yet: what is no batch is refused afterwards. */
function linksIn(body: unknown): number {
  const { shortUrls } = (body ?? {}) as { shortUrls?: unknown };
  return Array.isArray(shortUrls) ? Math.max(1, shortUrls.length) : 1;
}

/** Not checked yet, either. */
function countsIn(body: unknown): number {
  if (typeof body === 'string') return Math.min(body.split('\n', MAX_COUNT_LINES).length, MAX_COUNT_LINES);
  const { counts } = (body ?? {}) as { counts?: unknown };
  return Array.isArray(counts) ? Math.min(counts.length, MAX_COUNT_LINES) : 1;
}
