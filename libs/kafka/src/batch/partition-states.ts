/**
 * One assigned partition, from joining the group to the next rebalance:
 *
 *   deciding ──start known──► reading ──handler failed──► backing-off ──time is up──► deciding
 *
 * It is paused in kafkajs in every state but `reading`, so that no batch can reach the handler before
 * the start is decided and none can pass a failed one; and while a batch is in hand behind which there is more. A new generation forgets all of it.
 */
export type PartitionState =
  | { name: 'deciding'; failures: number }
  | { name: 'reading'; failures: number; nextOffset: bigint | undefined }
  | { name: 'backing-off'; failures: number; timer: NodeJS.Timeout };

const BACK_OFF_FIRST_MS = 1_000;
const BACK_OFF_LONGEST_MS = 30_000;

/** Doubles with each failure in a row, with a quarter of jitter. */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const base = Math.min(BACK_OFF_FIRST_MS * 2 ** Math.max(failures - 1, 0), BACK_OFF_LONGEST_MS);
  return Math.round(base * (0.875 + random() / 4));
}

/** The states of this process's partitions in the current generation. */
export class PartitionStates {
  readonly #states = new Map<number, PartitionState>();
  #generation = 0;
  #isMembershipLost = false;

  get generation(): number {
    return this.#generation;
  }

  /** Nothing has been assigned anew since. */
  isAssigned(generation: number): boolean {
    return generation === this.#generation;
  }

  /** Assigned, and the coordinator has not said otherwise since. */
  isCurrent(generation: number): boolean {
    return this.isAssigned(generation) && !this.#isMembershipLost;
  }

  /** The coordinator refused a heartbeat. Mostly a rebalance follows and forgets it. */
  loseMembership(generation: number): void {
    if (this.isAssigned(generation)) this.#isMembershipLost = true;
  }

  /** It takes heartbeats again: a broker that was only moving its groups says so, and no rebalance follows. */
  keepMembership(): void {
    this.#isMembershipLost = false;
  }

  /** Partitions assigned in the current generation. */
  partitions(): number[] {
    return [...this.#states.keys()];
  }

  /** None is paused. */
  areAllReading(): boolean {
    return [...this.#states.values()].every(({ name }) => name === 'reading');
  }

  /** The partitions in `reading`. */
  reading(): number[] {
    return this.partitions().filter((partition) => this.#states.get(partition)?.name === 'reading');
  }

  /** A new generation: every partition starts over in `deciding`. */
  assign(partitions: number[]): number {
    this.clear();
    for (const partition of partitions) this.#states.set(partition, { name: 'deciding', failures: 0 });
    return this.#generation;
  }

  /** Nothing is assigned any more; whoever still works for the old generation is not current. */
  clear(): void {
    for (const state of this.#states.values()) if (state.name === 'backing-off') clearTimeout(state.timer);
    this.#states.clear();
    this.#generation += 1;
    this.#isMembershipLost = false;
  }

  get(partition: number): PartitionState | undefined {
    return this.#states.get(partition);
  }

  /** No effect on a partition that is no longer assigned. */
  set(partition: number, state: PartitionState): void {
    const before = this.#states.get(partition);
    if (before === undefined) {
      if (state.name === 'backing-off') clearTimeout(state.timer);
      return;
    }
    if (before.name === 'backing-off') clearTimeout(before.timer);
    this.#states.set(partition, state);
  }
}
