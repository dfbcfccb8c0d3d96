import { createHmac } from 'node:crypto';

import {
  AddressBuckets,
  type BucketSize,
  LocalBuckets,
  type NamedWithdrawal,
  shownLimits,
  type TokenBuckets,
  type Withdrawn,
} from '@hopcount/redis';
import { MAX_COUNT_LINES } from '@hopcount/contracts';
import type { Asker } from '@hopcount/identities';
import { type Admission, AppError, clientAddress, rateLimitFields, retryAfter, secretsOf } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { ApiConfig } from '../api.config.js';
import type { ApiMetrics } from '../api.metrics.js';
import type { RoutedOperation } from '../http/operation.js';
import { overloaded } from './shed-requests.js';

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
type Wanted = NamedWithdrawal<LimitName>;

/** Of a client whose secrets were wrong too often, in this process. */
const NEW_WHILE_FAILING: BucketSize = { burst: 5, perSecond: 5 };
/** Of all such clients: no flood of look-ups, whatever number of addresses it comes from. */
const NEW_WHILE_ANY_FAIL: BucketSize = { burst: 50, perSecond: 50 };

/** Of an account while its failures are used up: tries of each network (an IPv6 /48, an IPv4 /24), and of all together. */
const SPARE_OF_NETWORK: BucketSize = { burst: 3, perSecond: 1 / 300 };
const SPARE_OF_ALL: BucketSize = { burst: 60, perSecond: 0.2 };

/** The hash tag of all buckets of an attempt: they are taken at once, or none is. */
const SIGN_IN = 'sign-in';

/** Of a batch of counts, in lines: its row is kept for weeks. */
const BATCH_COST = 100;

type Settings = Parameters<typeof secretsOf>[0] & Pick<ApiConfig, 'trustedProxies'>;

/** As they are at each request. */
interface Limits {
  readonly now: Pick<ApiConfig, (typeof SETTINGS)[LimitName] | 'apiRateLimits'>;
}

const SETTINGS = {
  reads: 'readLimit',
  statistics: 'statisticsLimit',
  writes: 'writeLimit',
  creates: 'createLimit',
  'host-counts': 'hostCountLimit',
  'failed-keys': 'failedKeyLimit',
  'sign-ins': 'signInLimit',
  'sign-ins-from': 'signInAddressLimit',
  'failed-sign-ins': 'signInAccountLimit',
  passwords: 'signInLimit',
} as const satisfies Record<LimitName, keyof ApiConfig>;

/**
 * What each API key and user may ask in a time, by class of route, and create; how often a client may be wrong about its key, and
 * how often somebody may try to sign in. Over all api processes; of each one alone while Redis is away, when nobody signs in.
 */
export class RequestLimits {
  readonly #local = new LocalBuckets();
  readonly #addresses: AddressBuckets;
  readonly #hashOf: (text: string) => string;

  constructor(
    private readonly settings: Settings,
    private readonly limits: Limits,
    private readonly buckets: Pick<TokenBuckets, 'take'>,
    private readonly metrics: Pick<ApiMetrics, 'rateLimited' | 'rateLimitsAlone' | 'limitUse'>,
    private readonly admission: Pick<Admission, 'isBelowCeiling'>,
  ) {
    const { hashing } = secretsOf(settings);
    this.#addresses = new AddressBuckets(hashing);
    this.#hashOf = (text) => createHmac('sha256', hashing).update(`hopcount sign-in ${text}`).digest('base64url');
  }

  /**
   * Before anything is done for the request. The ceiling of the process comes last: no single client uses it up.
   * @throws AppError `too-many-requests`, `overloaded`, `invalid-data`: more links than are ever admitted
   */
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
      const cost = Math.min(BATCH_COST + countsIn(request.body), this.#size('host-counts').burst);
      wanted.push(this.#wanted('host-counts', whose, cost));
    }
    await this.#take(reply, wanted);
    if (this.admission.isBelowCeiling?.() === false) throw overloaded();
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
    const address = this.addressOf(request);
    if (address === undefined || !this.limits.now.apiRateLimits) return;
    const wanted = this.#wantedFrom(address, 'failed-keys', 0);
    const taken = await this.#withdraw(wanted);
    const few = [
      ...this.#addresses.of(address, { name: 'new-secrets', size: NEW_WHILE_FAILING, tokens: 1 }),
      { ...NEW_WHILE_ANY_FAIL, key: 'new-secrets', tokens: 1 },
    ];
    if (!taken.isAdmitted && this.#local.take(few).isAdmitted) return;
    this.#settle(reply, wanted, taken);
  }

  /** Before a secret is looked for on an operation that anybody may ask. @throws AppError `too-many-requests` */
  async expectFewFailedKeys(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#takeFailedKeys(request, reply, 0);
  }

  /**
   * Before a password is looked at: of the account that is named, whether there is one or not, from this client; of the client;
   * and of the account from anywhere, which only failures use up. No single network can use those up; where several have, each
   * other network still has a few tries, so that guesses of strangers do not keep the account's owner out. Also with limits
   * switched off, and nobody is let in while Redis does not say.
   * @throws AppError `too-many-requests`, `sign-in-unavailable`
   */
  async admitSignIn(request: FastifyRequest, reply: FastifyReply, account: string): Promise<void> {
    const address = this.addressOf(request) ?? 'gone';
    const own = [
      ...this.#wantedFrom(address, 'sign-ins', 1, { tag: SIGN_IN, of: this.#hashOf(normal(account)) }),
      ...this.#wantedFrom(address, 'sign-ins-from', 1, { tag: SIGN_IN }),
    ];
    const usual = [...own, this.#failures(account, 0)];
    const taken = await this.#takeForSure(usual);
    const hasFailuresLeft = (taken.buckets.at(-1)?.left ?? 0) > 0;
    if (taken.isAdmitted || hasFailuresLeft) return this.#settle(reply, usual, taken);
    const spare = [...own, ...this.#spareFailures(account, address)];
    this.#settle(reply, spare, await this.#takeForSure(spare));
  }

  /**
   * Before somebody is sent to a provider (which takes none, but one must be left), and before what they come back with is
   * looked at.
   * @throws AppError as `admitSignIn`
   */
  async admitProviderSignIn(request: FastifyRequest, reply: FastifyReply, tokens: 0 | 1): Promise<void> {
    const wanted = this.#wantedFrom(this.addressOf(request) ?? 'gone', 'sign-ins-from', tokens, { tag: SIGN_IN });
    this.#settle(reply, wanted, await this.#takeForSure(wanted));
  }

  /** A password or a code was wrong. Attempts under way at once may be so many more than the limit. */
  async noteFailedSignIn(account: string): Promise<void> {
    await this.buckets.take([this.#failures(account, 1)]);
  }

  /** The same for somebody signed in, whom attempts of others do not hold back. @throws AppError as `admitSignIn` */
  async admitPassword(reply: FastifyReply, userId: number): Promise<void> {
    const wanted = [this.#wanted('passwords', `{user:${userId}}`, 1)];
    this.#settle(reply, wanted, await this.#takeForSure(wanted));
  }

  /** Whole; forwarding headers count from trusted proxies only. Undefined: its socket is gone. */
  addressOf({ raw }: FastifyRequest): string | undefined {
    const forwardedFor = raw.headers['x-forwarded-for'];
    const { trustedProxies } = this.settings;
    return clientAddress(raw.socket.remoteAddress, forwardedFor?.toString(), trustedProxies)?.address;
  }

  #failures(account: string, tokens: number): Wanted {
    return this.#wanted('failed-sign-ins', `{${SIGN_IN}}:${this.#hashOf(normal(account))}`, tokens);
  }

  #spareFailures(account: string, address: string): Wanted[] {
    const hash = this.#hashOf(normal(account));
    const network = this.#addresses.widest(address);
    const spare = { name: 'failed-sign-ins', tokens: 1 } as const;
    return [
      { ...spare, ...SPARE_OF_NETWORK, key: `hc:rate:{${SIGN_IN}}:${network}:spare-sign-ins:${hash}` },
      { ...spare, ...SPARE_OF_ALL, key: `hc:rate:{${SIGN_IN}}:spare-sign-ins:${hash}` },
    ];
  }

  #wantedFrom(
    address: string,
    name: LimitName,
    tokens: number,
    { tag, of }: { tag?: string; of?: string } = {},
  ): Wanted[] {
    return this.#addresses.of(address, { name, size: this.#size(name), tokens, of }, tag);
  }

  #wanted(name: LimitName, whose: string, tokens: number): Wanted {
    const { burst, perSecond } = this.#size(name);
    return { burst, perSecond, name, key: `hc:rate:${whose}:${name}`, tokens };
  }

  #size(name: LimitName): BucketSize {
    return this.limits.now[SETTINGS[name]];
  }

  #expectAdmissible(links: number): void {
    const { apiRateLimits, createLimit } = this.limits.now;
    if (!apiRateLimits || links <= createLimit.burst) return;
    const message = `At most ${createLimit.burst} links can be created at once here (CREATE_LIMIT); send fewer in a batch.`;
    throw new AppError('invalid-data', message, { details: { invalidElements: ['shortUrls'] } });
  }

  async #takeFailedKeys(request: FastifyRequest, reply: FastifyReply, tokens: number): Promise<void> {
    const address = this.addressOf(request);
    if (address !== undefined) await this.#take(reply, this.#wantedFrom(address, 'failed-keys', tokens));
  }

  async #takeForSure(wanted: readonly Wanted[]): Promise<Withdrawn> {
    const taken = await this.buckets.take(wanted);
    if (taken !== undefined) return taken;
    const message = 'Attempts cannot be counted right now, so none is taken.';
    throw new AppError('sign-in-unavailable', message, { retryable: true });
  }

  async #take(reply: FastifyReply, wanted: readonly Wanted[]): Promise<void> {
    if (!this.limits.now.apiRateLimits) return;
    this.#settle(reply, wanted, await this.#withdraw(wanted));
  }

  async #withdraw(wanted: readonly Wanted[]): Promise<Withdrawn> {
    const taken = await this.buckets.take(wanted);
    if (taken !== undefined) return taken;
    this.metrics.rateLimitsAlone.inc();
    return this.#local.take(wanted);
  }

  /** @throws AppError `too-many-requests` */
  #settle(reply: FastifyReply, wanted: readonly Wanted[], taken: Withdrawn): void {
    this.metrics.limitUse.note(wanted, taken);
    tell(reply, wanted, taken);
    if (taken.isAdmitted) return;
    reply.header(...retryAfter(taken.retryAfterMs));
    const exhausted = wanted.filter(({ tokens }, index) => (taken.buckets[index]?.left ?? 0) < Math.max(1, tokens));
    const names = [...new Set(exhausted.map(({ name }) => name))];
    for (const limit of names) this.metrics.rateLimited.inc({ limit });
    const message = `Too many requests (${names.join(', ')}); try again after the time in Retry-After.`;
    throw new AppError('too-many-requests', message);
  }
}

function normal(account: string): string {
  return account.trim().normalize('NFC').toLowerCase();
}

function tell(reply: FastifyReply, wanted: readonly Wanted[], taken: Withdrawn): void {
  // How often others failed at an account is theirs.
  const shown = shownLimits(wanted, taken).filter(({ name }) => name !== 'failed-sign-ins');
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
