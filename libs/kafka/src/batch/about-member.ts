import { AssignerProtocol, type PartitionAssigner, PartitionAssigners } from 'kafkajs';

/** What a member of a group says of itself to whoever describes the group. */
export interface AboutMember {
  /** Of the program. */
  version: string;
  /** Versions of the topic's events that it can read. */
  reads: number[];
}

/** Partitions in turn as always; members that say nothing of themselves are in the same group. */
export function assignerSaying(about: AboutMember): PartitionAssigner {
  return (config) => {
    const inTurn = PartitionAssigners.roundRobin(config);
    const userData = Buffer.from(JSON.stringify(about));
    return {
      ...inTurn,
      assign: (group) => inTurn.assign(group),
      protocol: ({ topics }) => ({
        name: inTurn.name,
        metadata: AssignerProtocol.MemberMetadata.encode({ version: inTurn.version, topics, userData }),
      }),
    };
  };
}

/** undefined: it said nothing. */
export function readAboutMember(metadata: Buffer): AboutMember | undefined {
  try {
    const userData = AssignerProtocol.MemberMetadata.decode(metadata)?.userData ?? Buffer.alloc(0);
    const { version, reads } = JSON.parse(userData.toString()) as Partial<AboutMember>;
    return typeof version === 'string' && Array.isArray(reads) ? { version, reads } : undefined;
  } catch {
    // A member of another version, or another program.
    return undefined;
  }
}
