/** kafkajs joins the group anew for an error of this type. */
const FORGOTTEN = 'UNKNOWN_MEMBER_ID';

export class ForgottenMemberError extends Error {
  readonly type = FORGOTTEN;

  constructor(silentMs: number) {
    super(`no heartbeat was taken for ${Math.round(silentMs)} ms: the group has gone on without this member`);
  }
}

/**
 * Notices a membership that ended without a word. When kafkajs has been told that it is no member any more
 * and then fails to join (no coordinator to be found just then), it goes on fetching as nobody: it sends no
 * heartbeats, so nothing ever tells it to join, and two consumers take the partitions from each other.
 */
export class HeartbeatWatch {
  #takenAtMs: number;

  constructor(
    private readonly sessionTimeoutMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#takenAtMs = now();
  }

  /** The coordinator took a heartbeat, or let us join. */
  taken(): void {
    this.#takenAtMs = this.now();
  }

  /** @throws ForgottenMemberError when the session must be over */
  assertHeard(): void {
    const silentMs = this.now() - this.#takenAtMs;
    if (silentMs > this.sessionTimeoutMs) throw new ForgottenMemberError(silentMs);
  }
}
