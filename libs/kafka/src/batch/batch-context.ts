import { BaseRpcContext } from '@nestjs/microservices';

interface BatchControls {
  heartbeat: () => Promise<void>;
  commitOffset: (nextOffset: bigint) => Promise<void>;
  isCurrent: () => boolean;
  assignmentGeneration: number;
}

/** What a batch handler may ask of the consumer while it works. */
export class BatchContext extends BaseRpcContext<[BatchControls]> {
  constructor(controls: BatchControls) {
    super([controls]);
  }

  /** Grows with every assignment of partitions to this process. */
  get assignmentGeneration(): number {
    return this.args[0].assignmentGeneration;
  }

  /** Keeps the group membership; rate-limited inside, never throws. Sent by a timer as well. */
  heartbeat(): Promise<void> {
    return this.args[0].heartbeat();
  }

  /** Commits before the batch is handled: should this process die of it, nobody reads it again. Never throws. */
  commitOffset(nextOffset: bigint): Promise<void> {
    return this.args[0].commitOffset(nextOffset);
  }

  /** False once the partition may belong to someone else or the process is stopping: give up waiting. */
  isCurrent(): boolean {
    return this.args[0].isCurrent();
  }
}
