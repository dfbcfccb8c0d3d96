import type { BlockValue } from './parse-block.js';
import { plainText } from './plain-text.js';

/** Made to be asked often: a host by its names, a pattern by its texts in their order. */
export class BlockList {
  static readonly NONE = new BlockList(-1n, []);
  readonly #hosts = new Set<string>();
  readonly #links = new Set<string>();
  readonly #patterns: string[][] = [];

  constructor(
    /** Of the blocks it was made of; -1: nobody has read them yet. */
    readonly version: bigint,
    blocks: readonly BlockValue[],
  ) {
    for (const { kind, value } of blocks) {
      if (kind === 'host') this.#hosts.add(value);
      else if (kind === 'link') this.#links.add(value);
      else this.#patterns.push(value.split('*'));
    }
  }

  /** Whether nobody may be sent there. */
  blocksTarget(url: URL): boolean {
    return this.#blocksHost(url.hostname.replace(/\.+$/, '')) || this.blocksText(url.href);
  }

  /** The same by patterns alone: of a target whose host has been judged, with what a visitor adds to it. */
  blocksText(href: string): boolean {
    if (this.#patterns.length === 0) return false;
    const text = plainText(href);
    return this.#patterns.some((parts) => holdsInOrder(text, parts));
  }

  blocksLink(domain: string, code: string): boolean {
    return this.#links.size > 0 && this.#links.has(`${domain}/${code}`);
  }

  /** The host itself, or one that it is below. */
  #blocksHost(host: string): boolean {
    if (this.#hosts.size === 0) return false;
    for (let name = host; ;) {
      if (this.#hosts.has(name)) return true;
      const dot = name.indexOf('.');
      if (dot === -1) return false;
      name = name.slice(dot + 1);
    }
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
