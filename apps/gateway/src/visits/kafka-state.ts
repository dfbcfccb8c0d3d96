import type { Logger } from '@hopcount/runtime';

/** Moments in a row at which batches were late before Kafka counts as down. */
const LATE_BEFORE_DOWN = 3;

/**
 * Whether visits go to Kafka first or straight to the spool.
 *
 *   down → up   a connection or a drained batch was acknowledged (the drainer keeps trying)
 *   up → down   a publish was refused or lost its connection, or batches were late three times in a row
 *
 * Starts down: until the first connection a visit is safe in the spool, not waiting for a broker
 * that may not be there. A wrong `up` costs each batch the acknowledgement timeout; a wrong `down`
 * costs a detour over the disk. Neither loses a visit.
 */
export class KafkaState {
  #state: 'up' | 'down' = 'down';
  #reason: string | undefined;
  #lateInARow = 0;
  #onDown: () => void = () => undefined;

  constructor(private readonly logger: Logger) {}

  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** Why it is down; undefined before the first try has failed. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Called on every change to down, for batches that wait to be sent. */
  onDown(listener: () => void): void {
    this.#onDown = listener;
  }

  acknowledgedInTime(): void {
    this.#lateInARow = 0;
  }

  late(): void {
    this.#lateInARow += 1;
    if (this.#lateInARow >= LATE_BEFORE_DOWN)
      this.#change('down', `acknowledgements were late ${this.#lateInARow} times in a row`);
  }

  failed(error: Error): void {
    this.#change('down', error.message);
  }

  recovered(): void {
    this.#change('up', 'acknowledged');
  }

  #change(next: 'up' | 'down', reason: string): void {
    this.#lateInARow = 0;
    const wasUp = this.isUp;
    // Another reason is worth a line: who starts the broker wants to hear that now the password is wrong.
    if (this.#state === next && (wasUp || this.#reason === reason)) return;
    this.#state = next;
    this.#reason = next === 'down' ? reason : undefined;
    if (next === 'up') {
      this.logger.info({ reason }, 'Kafka is up: visits go to Kafka');
      return;
    }
    this.logger.warn({ reason }, 'Kafka is down: visits go to the spool');
    if (wasUp) this.#onDown();
  }
}
