/** What a batch handler may ask of the consumer while it works. */
export interface BatchContext {
  /** Grows with every assignment of partitions to this process. */
  assignmentGeneration: number;
  /** Commits before the batch is handled: should this process die of it, nobody reads it again. Never throws. */
  commitOffset: (nextOffset: bigint) => Promise<void>;
  /** False once the partition may belong to someone else or the process is stopping: give up waiting. */
  isCurrent: () => boolean;
}
