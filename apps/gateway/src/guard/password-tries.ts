import type { LinkPasswords } from '@hopcount/links';
import {
  AddressBuckets,
  type BucketSize,
  LocalBuckets,
  type TokenBuckets,
  type Withdrawal,
  type Withdrawn,
} from '@hopcount/redis';
import { inTime, isAppError, type LimitGrowth, type Logger } from '@hopcount/runtime';

/** Of a client, for one link: ten at once, then one a minute. */
const OF_CLIENT: BucketSize = { burst: 10, perSecond: 1 / 60 };
/** Of a client, for all links. */
const OF_CLIENT_ANYWHERE: BucketSize = { burst: 30, perSecond: 1 / 20 };
/** Of a client, those that are given back, too: a class behind one address gets in, and nobody keeps argon2 to themselves. */
const WITH_RIGHT_ONES: BucketSize = { burst: 100, perSecond: 1 };
/** For one link, of all clients together. */
const OF_LINK: BucketSize = { burst: 300, perSecond: 0.5 };
/** Of a network (an IPv6 /48, an IPv4 /24) while those are used up: whoever knows the password is seldom kept out by those who guess it. */
const SPARE: BucketSize = { burst: 1, perSecond: 1 / 600 };
/** Of all networks together, for one link. */
const SPARE_OF_LINK: BucketSize = { burst: 30, perSecond: 0.1 };
/** Longest time a visitor waits; PostgreSQL may be silent. */
const PATIENCE_MS = 3_000;

export type PasswordTry =
  | { outcome: 'right'; mark: string }
  | { outcome: 'wrong' }
  | { outcome: 'limited'; retryAfterMs: number }
  /** Too many at once, or PostgreSQL does not say. */
  | { outcome: 'busy' };

/** Settles when it is done. */
type GiveBack = () => unknown;

interface Parts {
  passwords: Pick<LinkPasswords, 'markOf'>;
  buckets: Pick<TokenBuckets, 'take'>;
  logger: Logger;
  /** Of the names of clients. */
  secret: string;
}

/**
 * Tries of visitors to open a link, limited over all gateways; by each process for itself while Redis is away. Each is taken before
 * the password is looked at, so that those under way at once are no more than the limit, and only a wrong one is kept.
 */
export class PasswordTries {
  /** Since the start of the process. */
  readonly outcomes: Record<PasswordTry['outcome'], number> = { right: 0, wrong: 0, limited: 0, busy: 0 };
  readonly #local = new LocalBuckets();
  readonly #addresses: AddressBuckets;

  constructor(private readonly parts: Parts) {
    this.#addresses = new AddressBuckets(parts.secret);
  }

  /** @param mark of the link's password; `address`: empty when nobody knows it. Never rejects. */
  async try(linkId: string, mark: string, password: string, address: string): Promise<PasswordTry> {
    const result = await this.#try(linkId, mark, password, address);
    this.outcomes[result.outcome] += 1;
    return result;
  }

  async #try(linkId: string, mark: string, password: string, address: string): Promise<PasswordTry> {
    const taken: GiveBack[] = [];
    const retryAfterMs = await this.#withdraw(linkId, address, taken);
    const tried = retryAfterMs > 0 ? limited(retryAfterMs) : await this.#check(linkId, mark, password);
    if (tried.outcome !== 'wrong') await Promise.all(taken.map((giveBack) => giveBack()));
    return tried;
  }

  async #check(linkId: string, mark: string, password: string): Promise<PasswordTry> {
    try {
      const found = await inTime(this.parts.passwords.markOf(linkId, mark, password), PATIENCE_MS);
      return found === undefined ? { outcome: 'wrong' } : { outcome: 'right', mark: found };
    } catch (error) {
      if (!isAppError(error, 'passwords-busy')) this.parts.logger.warn({ err: error }, 'a password cannot be checked');
      return { outcome: 'busy' };
    }
  }

  /** @param taken gives back what was taken, unless the password is wrong @returns ms to wait; 0: none */
  async #withdraw(linkId: string, address: string, taken: GiveBack[]): Promise<number> {
    const ofAddress = (name: string, size: BucketSize, growth?: LimitGrowth) =>
      this.#addresses.of(address, { name, size, tokens: 1, growth });
    const ofLink = (bucket: string) => `hc:rate:{link:${linkId}}:${bucket}`;
    const own = [...ofAddress(`password:${linkId}`, OF_CLIENT), ...ofAddress('passwords', OF_CLIENT_ANYWHERE)];
    const client = await this.#take([...own, ...ofAddress('all-passwords', WITH_RIGHT_ONES, 'requests')]);
    if (!client.isAdmitted) return client.retryAfterMs;
    taken.push(() => client.giveBack(own));
    const all = [{ ...OF_LINK, key: ofLink('passwords'), tokens: 1 }];
    const link = await this.#take(all);
    if (link.isAdmitted) taken.push(() => link.giveBack(all));
    if (link.isAdmitted) return 0;
    const network = `hc:rate:{${this.#addresses.widest(address)}}:spare-password:${linkId}`;
    for (const spare of [
      [{ ...SPARE, key: network, tokens: 1 }],
      [{ ...SPARE_OF_LINK, key: ofLink('spare-passwords'), tokens: 1 }],
    ]) {
      const { isAdmitted, retryAfterMs, giveBack } = await this.#take(spare);
      if (!isAdmitted) return Math.min(retryAfterMs, link.retryAfterMs);
      taken.push(() => giveBack(spare));
    }
    return 0;
  }

  /** What was taken here while Redis was away is no token of Redis': it goes back to where it came from. */
  async #take(withdrawals: readonly Withdrawal[]): Promise<Withdrawn & { giveBack: (ones: Withdrawal[]) => unknown }> {
    const shared = await this.parts.buckets.take(withdrawals);
    const from = shared === undefined ? this.#local : this.parts.buckets;
    const giveBack = (ones: Withdrawal[]) => from.take(ones.map((one) => ({ ...one, tokens: -one.tokens })));
    return { ...(shared ?? this.#local.take(withdrawals)), giveBack };
  }
}

const limited = (retryAfterMs: number): PasswordTry => ({ outcome: 'limited', retryAfterMs });
