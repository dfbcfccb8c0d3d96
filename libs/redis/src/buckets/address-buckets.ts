import { type LimitGrowth, networkNames, networksOf } from '@hopcount/runtime';

import type { NamedWithdrawal } from './shown-limits.js';
import type { BucketSize } from './token-buckets.js';

interface AddressWithdrawal<Name extends string> {
  name: Name;
  /** Of one client; its wider networks have more. */
  size: BucketSize;
  tokens: number;
  growth?: LimitGrowth | undefined;
  /** Of each such thing apart, such as an account. */
  of?: string;
}

/** The one place that says which buckets an address takes from: those of all its networks, or of none. */
export class AddressBuckets {
  readonly #nameOf: (network: string) => string;

  constructor(secret: string) {
    this.#nameOf = networkNames(secret);
  }

  /**
   * @param tag of Redis' hash slots, where buckets of other things are asked in the same call; default: of the address'
   * widest network, so that all buckets of an address are in one slot
   */
  of<Name extends string>(
    address: string,
    { name, size, tokens, growth, of }: AddressWithdrawal<Name>,
    tag = this.widest(address),
  ): NamedWithdrawal<Name>[] {
    const what = of === undefined ? name : `${name}:${of}`;
    return networksOf(address, growth).map(({ network, times }) => ({
      name,
      burst: size.burst * times,
      perSecond: size.perSecond * times,
      key: `hc:rate:{${tag}}:${this.#nameOf(network)}:${what}`,
      tokens,
    }));
  }

  /** Name of the widest network that is limited as one. */
  widest(address: string): string {
    return this.#nameOf(networksOf(address).at(-1)?.network ?? address);
  }
}
