const CHUNK_BITS = 14;
const CHUNK_SIZE = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK_SIZE - 1;
/** Eight numbers, half a cache line. */
const RECORD_BITS = 3;
const SUMS = 3;
/** The sums of a node: of itself, of those one label below it, of it and all below it. */
export const OWN = 0;
export const CHILDREN = 1;
export const SUBTREE = 2;

/**
 * Eight whole numbers of each node, side by side, since they are read together: what a look-up costs is waiting for memory.
 * In chunks: growing allocates one more and copies nothing, so no insert stops the process for long.
 */
export class NodeRecords {
  readonly #chunks: Int32Array[] = [];

  get bytes(): number {
    return this.#chunks.length * (CHUNK_SIZE << RECORD_BITS) * Int32Array.BYTES_PER_ELEMENT;
  }

  get(node: number, field: number): number {
    return (this.#chunks[node >>> CHUNK_BITS] as Int32Array)[((node & IN_CHUNK) << RECORD_BITS) + field] as number;
  }

  /** @param node at most one behind the last that was set */
  set(node: number, field: number, value: number): void {
    if (node >>> CHUNK_BITS === this.#chunks.length) this.#chunks.push(new Int32Array(CHUNK_SIZE << RECORD_BITS));
    (this.#chunks[node >>> CHUNK_BITS] as Int32Array)[((node & IN_CHUNK) << RECORD_BITS) + field] = value;
  }
}

/** Three sums of each node; zero where nothing was added. A chunk without anything takes no memory. */
export class NodeSums {
  readonly #chunks: (Float64Array | undefined)[] = [];
  #kept = 0;

  get bytes(): number {
    return this.#kept * CHUNK_SIZE * SUMS * Float64Array.BYTES_PER_ELEMENT;
  }

  get(node: number, field: number): number {
    const chunk = this.#chunks[node >>> CHUNK_BITS];
    return chunk === undefined ? 0 : (chunk[(node & IN_CHUNK) * SUMS + field] as number);
  }

  /** To the node's own, its parent's children and what is below all above it, by the field of their records that says who is. */
  add(node: number, value: number, records: NodeRecords, parentField: number): void {
    const chunk = this.#chunkOf(node);
    const at = (node & IN_CHUNK) * SUMS;
    chunk[at + OWN] = (chunk[at + OWN] as number) + value;
    chunk[at + SUBTREE] = (chunk[at + SUBTREE] as number) + value;
    let above = records.get(node, parentField);
    if (above === -1) return;
    const parent = this.#chunkOf(above);
    const atParent = (above & IN_CHUNK) * SUMS;
    parent[atParent + CHILDREN] = (parent[atParent + CHILDREN] as number) + value;
    parent[atParent + SUBTREE] = (parent[atParent + SUBTREE] as number) + value;
    while ((above = records.get(above, parentField)) !== -1) {
      const next = this.#chunkOf(above);
      const atNext = (above & IN_CHUNK) * SUMS + SUBTREE;
      next[atNext] = (next[atNext] as number) + value;
    }
  }

  #chunkOf(node: number): Float64Array {
    return this.#chunks[node >>> CHUNK_BITS] ?? this.#make(node >>> CHUNK_BITS);
  }

  #make(index: number): Float64Array {
    // Holes of a sparse array would make every look-up in it slow.
    while (this.#chunks.length < index) this.#chunks.push(undefined);
    this.#kept += 1;
    return (this.#chunks[index] = new Float64Array(CHUNK_SIZE * SUMS));
  }
}

/** Ids of PostgreSQL → positions. Its sequences leave gaps: a chunk no id of which is known takes no memory. */
export class IdMap {
  /** Position + 1. */
  readonly #chunks: (Int32Array | undefined)[] = [];
  #kept = 0;

  get bytes(): number {
    return this.#kept * CHUNK_SIZE * Int32Array.BYTES_PER_ELEMENT + this.#chunks.length * 8;
  }

  /** Undefined: nobody has set it. */
  get(id: number): number | undefined {
    const kept = this.#chunks[id >>> CHUNK_BITS]?.[id & IN_CHUNK] ?? 0;
    return kept === 0 ? undefined : kept - 1;
  }

  set(id: number, position: number): void {
    const index = id >>> CHUNK_BITS;
    while (this.#chunks.length < index) this.#chunks.push(undefined);
    let chunk = this.#chunks[index];
    if (chunk === undefined) {
      this.#kept += 1;
      this.#chunks[index] = chunk = new Int32Array(CHUNK_SIZE);
    }
    chunk[id & IN_CHUNK] = position + 1;
  }
}
