/** Batches that are being handled: one of a partition, and a few at once. */
export class BatchesInHand {
  readonly #batches = new Map<number, Promise<void>>();

  constructor(private readonly atMost: number) {}

  get size(): number {
    return this.#batches.size;
  }

  has(partition: number): boolean {
    return this.#batches.has(partition);
  }

  /**
   * Waits for a place, and for the end of the partition's batch before.
   * @param handle never rejects
   * @returns its end, once it has begun
   */
  async begin(partition: number, handle: () => Promise<void>): Promise<{ end: Promise<void> }> {
    while (this.#batches.has(partition) || this.#batches.size >= this.atMost) await this.anyEnd();
    const end = handle().finally(() => this.#batches.delete(partition));
    this.#batches.set(partition, end);
    return { end };
  }

  /** At once when there is none. */
  async anyEnd(): Promise<void> {
    if (this.#batches.size > 0) await Promise.race(this.#batches.values());
  }

  async endOf(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) await this.#batches.get(partition);
  }

  async allEnd(): Promise<void> {
    await Promise.all(this.#batches.values());
  }
}
