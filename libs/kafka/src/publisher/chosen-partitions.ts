import type { Message, PartitionMetadata, RecordMetadata } from 'kafkajs';

interface PartitionerArgs {
  topic: string;
  partitionMetadata: PartitionMetadata[];
  message: Message;
}

/**
 * Of one call with records for several partitions kafkajs may leave some out and resolve all the same: when a leader moves
 * between two tries to a broker that has answered the first one, that broker is not asked again. So it is kept which
 * partition each record was meant for, from the first try on, and that one has to be among those that were acknowledged.
 */
export class ChosenPartitions {
  readonly #chosen = new WeakMap<Message, number>();

  /** A partitioner that says of a record always the same. */
  by(choose: (args: PartitionerArgs) => number): (args: PartitionerArgs) => number {
    return (args) => {
      const known = this.#chosen.get(args.message);
      if (known !== undefined) return known;
      const partition = choose(args);
      this.#chosen.set(args.message, partition);
      return partition;
    };
  }

  /** @throws Error when a record may have been left out */
  expectAll(messages: readonly Message[], acknowledged: readonly Pick<RecordMetadata, 'partition'>[]): void {
    const taken = new Set(acknowledged.map(({ partition }) => partition));
    const wanted = new Set(messages.map((message) => this.#chosen.get(message)));
    const left = [...wanted].filter((partition) => partition !== undefined && !taken.has(partition));
    if (left.length > 0) throw new Error(`partition ${left.join(', ')} acknowledged nothing`);
  }
}
