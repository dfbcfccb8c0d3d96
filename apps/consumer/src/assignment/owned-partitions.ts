import type { OwnedCheckpoint, UnendedAttempt } from '@hopcount/ledger';

export interface OwnedPartition {
  checkpoint: OwnedCheckpoint;
  trustClaimsFrom: bigint;
  incarnation: string;
  /** Where an owner before us died with records in hand. */
  unended: UnendedAttempt | undefined;
  /** The first batch since the assignment is counted: whatever kills us now is not behind us. */
  proven: boolean;
}

/**
 * What this process may commit. A partition enters when its start is decided, and leaves when a
 * commit is fenced; taking ownership anew replaces it.
 */
export class OwnedPartitions {
  readonly #owned = new Map<number, OwnedPartition>();

  get(partition: number): OwnedPartition | undefined {
    return this.#owned.get(partition);
  }

  take(partition: number, owned: OwnedPartition): void {
    this.#owned.set(partition, owned);
  }

  /** After a commit; ignored when ownership was taken anew meanwhile (the epochs differ). */
  advance(checkpoint: OwnedCheckpoint): void {
    const owned = this.#owned.get(checkpoint.partition);
    if (owned?.checkpoint.epoch === checkpoint.epoch) owned.checkpoint = checkpoint;
  }

  drop(checkpoint: OwnedCheckpoint): void {
    const owned = this.#owned.get(checkpoint.partition);
    if (owned?.checkpoint.epoch === checkpoint.epoch) this.#owned.delete(checkpoint.partition);
  }
}
