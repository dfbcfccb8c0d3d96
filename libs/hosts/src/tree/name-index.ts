/** FNV-1a: that of a name goes on from that of its parent, so one pass gives those of all ancestors. */
export const HASH_START = 0x811c9dc5 | 0;

export function hashOn(hash: number, text: string, from: number, to: number): number {
  let result = hash;
  for (let at = from; at < to; at += 1) result = Math.imul(result ^ text.charCodeAt(at), 0x01000193);
  return result;
}

/** Shards that visits by host could be spread over. */
export const SLOTS = 1_024;

/** Of a site, the same in every process. */
export function slotOf(site: string): number {
  return mix(hashOn(HASH_START, site, 0, site.length)) & (SLOTS - 1);
}

const SEGMENT_BITS = 8;
const FIRST_SLOTS = 16;

/**
 * Nodes by the hash of their names, open addressing. 256 segments that grow by themselves: one of them is moved at a time, which
 * takes a millisecond with a million names, and not a tenth of a second as moving all of them would.
 */
export class NameIndex {
  /** Node, or 0: free (node 0 is the root, which is not looked for). */
  readonly #segments: Int32Array[] = Array.from({ length: 1 << SEGMENT_BITS }, () => new Int32Array(FIRST_SLOTS));
  readonly #counts = new Uint32Array(1 << SEGMENT_BITS);

  constructor(
    private readonly hashOf: (node: number) => number,
    private readonly isNamed: (node: number, name: string) => boolean,
  ) {}

  get bytes(): number {
    return this.#segments.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** 0: there is none. */
  find(hash: number, name: string): number {
    const mixed = mix(hash);
    const slots = this.#segments[mixed >>> (32 - SEGMENT_BITS)] as Int32Array;
    const mask = slots.length - 1;
    for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
      const node = slots[slot] as number;
      if (node === 0 || (this.hashOf(node) === hash && this.isNamed(node, name))) return node;
    }
  }

  add(hash: number, node: number): void {
    const segment = mix(hash) >>> (32 - SEGMENT_BITS);
    const slots = this.#segments[segment] as Int32Array;
    put(slots, hash, node);
    const count = (this.#counts[segment] as number) + 1;
    this.#counts[segment] = count;
    if (count * 3 > slots.length * 2) this.#segments[segment] = this.#grown(slots);
  }

  #grown(slots: Int32Array): Int32Array {
    const grown = new Int32Array(slots.length * 2);
    for (const node of slots) if (node !== 0) put(grown, this.hashOf(node), node);
    return grown;
  }
}

function put(slots: Int32Array, hash: number, node: number): void {
  const mask = slots.length - 1;
  let slot = mix(hash) & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  slots[slot] = node;
}

/** FNV's upper bits are poor for short texts. */
function mix(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (folded ^ (folded >>> 13)) >>> 0;
}
