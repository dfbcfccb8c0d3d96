import type { BlockAction } from '@hopcount/contracts';

import type { BlockValue } from './parse-block.js';
import { plainText } from './plain-text.js';

/** Of one action. */
class Rules {
  readonly patterns: string[][] = [];
  readonly #hosts = new Set<string>();
  readonly #links = new Set<string>();

  constructor(blocks: readonly BlockValue[]) {
    for (const { kind, value } of blocks) {
      if (kind === 'host') this.#hosts.add(value);
      else if (kind === 'link') this.#links.add(value);
      else this.patterns.push(value.split('*'));
    }
  }

  /** The host itself, or one that it is below. */
  haveHost(host: string): boolean {
    if (this.#hosts.size === 0) return false;
    for (let name = host; ;) {
      if (this.#hosts.has(name)) return true;
      const dot = name.indexOf('.');
      if (dot === -1) return false;
      name = name.slice(dot + 1);
    }
  }

  haveText(href: string): boolean {
    if (this.patterns.length === 0) return false;
    const text = plainText(href);
    return this.patterns.some((parts) => holdsInOrder(text, parts));
  }

  haveLink(domain: string, code: string): boolean {
    return this.#links.size > 0 && this.#links.has(`${domain}/${code}`);
  }
}

/** Made to be asked often: a host by its names, a pattern by its texts in their order. A block goes before a warning. */
export class BlockList {
  static readonly NONE = new BlockList(-1n, []);
  readonly #blocked: Rules;
  readonly #warned: Rules;

  constructor(
    /** Of the blocks it was made of; -1: nobody has read them yet. */
    readonly version: bigint,
    blocks: readonly (BlockValue & { action: BlockAction })[],
  ) {
    this.#blocked = new Rules(blocks.filter(({ action }) => action === 'block'));
    this.#warned = new Rules(blocks.filter(({ action }) => action === 'warn'));
  }

  /** Whether what visitors add to a target can bring a warning. */
  get warnsByText(): boolean {
    return this.#warned.patterns.length > 0;
  }

  /** What becomes of visitors who would be sent there; undefined: nothing. */
  onTarget(url: URL): BlockAction | undefined {
    const host = url.hostname.replace(/\.+$/, '');
    return this.#first((rules) => rules.haveHost(host) || rules.haveText(url.href));
  }

  /** The same by patterns alone: of a target whose host has been judged, with what a visitor adds to it. */
  onText(href: string): BlockAction | undefined {
    return this.#first((rules) => rules.haveText(href));
  }

  onLink(domain: string, code: string): BlockAction | undefined {
    return this.#first((rules) => rules.haveLink(domain, code));
  }

  #first(applies: (rules: Rules) => boolean): BlockAction | undefined {
    if (applies(this.#blocked)) return 'block';
    return applies(this.#warned) ? 'warn' : undefined;
  }
}

/** Each part behind the one before: linear, whatever the pattern. */
function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}
