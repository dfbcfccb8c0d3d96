/** A partition as one consumer group reads it. */
export interface PartitionRef {
  group: string;
  topic: string;
  partition: number;
}

/** What the owner of a partition knows of its checkpoint row; both numbers fence every commit. */
export interface OwnedCheckpoint extends PartitionRef {
  epoch: bigint;
  /** Every offset below is counted. 0 when the group never committed this partition. */
  nextOffset: bigint;
}

/** The parameters every statement about a partition begins with. */
export function keyOf({ group, topic, partition }: PartitionRef): [string, string, number] {
  return [group, topic, partition];
}
