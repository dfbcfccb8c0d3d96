import type { Message, PartitionMetadata } from 'kafkajs';

interface PartitionerArgs {
  topic: string;
  partitionMetadata: PartitionMetadata[];
  message: Message;
}

/**
 * kafkajs asks this per message. `message.partition` is a partition (≥ 0), or a turn t written as
 * -1 - t: then it is the t-th partition, counted round and round, that has a leader (so that one
 * leaderless partition does not stop every twelfth batch). Without one, `byKey` decides.
 */
export function rotatingPartitioner(byKey: (args: PartitionerArgs) => number) {
  return (args: PartitionerArgs): number => {
    const wanted = args.message.partition;
    if (wanted === undefined) return byKey(args);
    if (wanted >= 0) return wanted;
    const { partitionMetadata } = args;
    const turn = -1 - wanted;
    for (let step = 0; step < partitionMetadata.length; step += 1) {
      const candidate = partitionMetadata[(turn + step) % partitionMetadata.length];
      if (candidate !== undefined && candidate.leader >= 0) return candidate.partitionId;
    }
    return partitionMetadata[turn % partitionMetadata.length]?.partitionId ?? 0;
  };
}
