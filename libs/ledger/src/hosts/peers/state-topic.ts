import type { HostStateV1 } from '@hopcount/contracts';

/** The topic in which a data centre says what it counted. */
export interface StateTopic {
  /** Offset the next record will get. */
  end(): Promise<bigint>;
  /**
   * What is in it from an offset on (else from its beginning), in order, up to the end it has now.
   * @returns that end; once the signal is given, undefined: not all was read
   */
  read(
    onStates: (states: HostStateV1[]) => Promise<void>,
    options?: { from?: bigint; signal?: AbortSignal | undefined },
  ): Promise<bigint | undefined>;
  /** Resolves once they are durable, in this order; to the offset of the first. */
  publish(states: HostStateV1[]): Promise<bigint>;
}
