/**
 * A bounded map for pure, cheap-to-recompute values (hashes, verified cookies). Two generations:
 * when the young one is full it becomes the old one and the former old one is forgotten, so at most
 * 2 × `generationSize` entries live and a read costs one or two map look-ups, with no list upkeep.
 */
export class BoundedCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(private readonly generationSize: number) {}

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
