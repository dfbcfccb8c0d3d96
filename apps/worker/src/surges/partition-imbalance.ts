import type { PartitionProgress } from '@hopcount/ledger';

const WINDOW_MS = 300_000;

/** How unevenly visits come by partition: of what was counted in the last five minutes, or since the first look. */
export class PartitionImbalance {
  #looks: { atMs: number; offsets: Map<number, bigint> }[] = [];

  /**
   * @param atMs of a clock that only goes on
   * @returns records of the busiest partition, divided by the mean of all; 0: there were none
   */
  look(atMs: number, checkpoints: readonly PartitionProgress[]): number {
    const offsets = new Map(checkpoints.map(({ partition, nextOffset }) => [partition, nextOffset]));
    this.#looks.push({ atMs, offsets });
    // The last one that is as old stays: what came since is of five minutes.
    while ((this.#looks[1]?.atMs ?? atMs) <= atMs - WINDOW_MS) this.#looks.shift();
    const before = this.#looks[0]?.offsets;
    const counted = [...offsets].map(([partition, offset]) =>
      // A topic that was made anew begins again.
      Math.max(0, Number(offset - (before?.get(partition) ?? 0n))),
    );
    const all = counted.reduce((sum, one) => sum + one, 0);
    return all === 0 ? 0 : (Math.max(...counted) * counted.length) / all;
  }
}
