import { LRUCache } from 'lru-cache';

import { foldCode } from '../codes/fold-code.js';
import { keyOf } from './link-check.js';
import type { LinkMemoryOptions } from './link-memory.js';
import type { LinkKey } from './resolved-link.js';

interface Entry {
  /** Of live links, at most two; PostgreSQL was asked about a spelling that is none of them. */
  alike: readonly string[];
  freshUntilMs: number;
}

/**
 * Which code is meant by one that no link has (LOOSE_CODES): the only one that differs from it in the case of letters.
 * Where two do, none is: an exact code always wins, and nobody is sent to one of two links by chance.
 */
export class LooseCodes {
  readonly #known: LRUCache<string, Entry>;

  constructor(
    private readonly options: Pick<LinkMemoryOptions, 'checkMs' | 'missTtlMs' | 'maxMisses'>,
    private readonly nowMs: () => number,
  ) {
    this.#known = new LRUCache({ max: options.maxMisses });
  }

  /** Codes that differ from this one, or this one; undefined when nothing fresh is known. */
  fresh(key: LinkKey): readonly string[] | undefined {
    const entry = this.#known.get(foldedKeyOf(key));
    return entry !== undefined && this.nowMs() < entry.freshUntilMs ? entry.alike : undefined;
  }

  /** Of any age: for an outage of PostgreSQL. */
  last(key: LinkKey): readonly string[] {
    return this.#known.peek(foldedKeyOf(key))?.alike ?? [];
  }

  remember(key: LinkKey, alike: readonly string[], checkedAtMs: number): void {
    const { checkMs, missTtlMs } = this.options;
    const freshUntilMs = alike.length === 1 ? checkedAtMs + checkMs : this.nowMs() + missTtlMs;
    this.#known.set(foldedKeyOf(key), { alike, freshUntilMs });
  }

  /** A link with that code was created, edited or deleted. */
  forget(key: LinkKey): void {
    this.#known.delete(foldedKeyOf(key));
  }
}

/** The same for every spelling. */
export function foldedKeyOf({ domain, code }: LinkKey): string {
  return keyOf({ domain, code: foldCode(code) });
}

/** The code of the only link that `code` can stand for, unless it is `code` itself. */
export function meantBy(code: string, alike: readonly string[]): string | undefined {
  const [only] = alike;
  return alike.length === 1 && only !== code ? only : undefined;
}
