/** kafkajs joins the group anew, as nobody it knew, for an error of this type. */
const FORGOTTEN = 'UNKNOWN_MEMBER_ID';
/** kafkajs joins the group anew, as the member it is, for an error of this type. */
const REBALANCING = 'REBALANCE_IN_PROGRESS';

/** Thrown into kafkajs, which acts on the type. */
export class LostMembershipError extends Error {
  constructor(
    readonly type: typeof FORGOTTEN | typeof REBALANCING,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Notices memberships that ended, or changed, without a word:
 *
 * - Forgotten. When kafkajs has been told that it is no member any more and then fails to join (no coordinator
 *   to be found just then), it goes on fetching as nobody: it sends no heartbeats, so nothing ever tells it to
 *   join, and two consumers take the partitions from each other, or nobody takes them.
 * - Half joined. When it joins and the answer that tells its partitions is lost, it goes on in the new
 *   generation with the partitions of the old one, and its heartbeats are taken.
 */
export class HeartbeatWatch {
  #takenAtMs: number;
  /** Of the heartbeats since the last join; undefined before the first of them. */
  #generationId: number | undefined;
  #isHalfJoined = false;
  #silentFetches = 0;

  constructor(
    private readonly sessionTimeoutMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#takenAtMs = now();
  }

  /** The coordinator let us join and we know our partitions. */
  joined(): void {
    this.#takenAtMs = this.now();
    this.#generationId = undefined;
    this.#isHalfJoined = false;
    this.#silentFetches = 0;
  }

  /** The coordinator took a heartbeat of that generation. */
  taken(generationId: number): void {
    this.#takenAtMs = this.now();
    this.#silentFetches = 0;
    this.#generationId ??= generationId;
    this.#isHalfJoined = generationId !== this.#generationId;
  }

  /**
   * After each fetch. Between two fetches kafkajs sends a heartbeat if it is a member at all, and after an
   * outage a broker that has started anew takes it: so a session's silence counts when two fetches find it.
   * @throws LostMembershipError when the session must be over, or our partitions those of another generation
   */
  fetched(): void {
    const silentMs = this.now() - this.#takenAtMs;
    if (silentMs > this.sessionTimeoutMs && ++this.#silentFetches > 1) {
      const message = `no heartbeat was taken for ${Math.round(silentMs)} ms: the group has gone on without this member`;
      throw new LostMembershipError(FORGOTTEN, message);
    }
    if (this.#isHalfJoined) {
      throw new LostMembershipError(REBALANCING, 'a member of a new generation with the partitions of the old one');
    }
  }
}
