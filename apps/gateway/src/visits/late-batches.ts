import { takeFirst } from '@hopcount/runtime';

/** Looks at what waits, in the shortest patience. */
const LOOKS = 5;
const ACKS_KEPT = 128;
/** Sorted again after so many. */
const SORT_EVERY = 16;
const TIMES_P99 = 4;
/** An acknowledgement passes through some threads of the broker, each of which waits as this one does. */
const TIMES_DELAY = 8;
/** Longest patience, in shortest ones: a broker that only becomes slower is one day as good as away. */
const MOST_TIMES = 20;
/** What is left, after each look, of how late the latest one was. */
const KEPT_DELAY = 0.98;

/**
 * Tells which batches wait too long for their acknowledgement: longer than `shortestMs`, than four times what nearly all took
 * lately, and than eight times what this process itself has to wait for a turn. Time in which it could not run at all counts as
 * one look: a busy machine, or a pause, says nothing about the broker.
 */
export class LateBatches<Batch> {
  /** When each began to wait, in this process's own time; the oldest first. No Map, see LiveList. */
  readonly #waiting: { batch: Batch; sinceMs: number }[] = [];
  readonly #acks = new Float64Array(ACKS_KEPT);
  readonly #lookMs: number;
  #acksSeen = 0;
  #p99Ms = 0;
  #delayMs = 0;
  #ownMs = 0;
  #lookedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onLate told of all that are late at one look */
  constructor(
    private readonly shortestMs: number,
    private readonly onLate: (batches: Batch[]) => void,
  ) {
    this.#lookMs = Math.max(shortestMs / LOOKS, 1);
  }

  get patienceMs(): number {
    const wanted = Math.max(this.shortestMs, TIMES_P99 * this.#p99Ms, TIMES_DELAY * this.#delayMs);
    return Math.min(wanted, MOST_TIMES * this.shortestMs);
  }

  add(batch: Batch): void {
    if (this.#timer === undefined) {
      this.#lookedAtMs = performance.now();
      this.#timer = setInterval(() => this.#look(), this.#lookMs);
    }
    this.#waiting.push({ batch, sinceMs: this.#ownMs + this.#sinceLook() });
  }

  remove(batch: Batch): void {
    takeFirst(this.#waiting, (waiting) => waiting.batch === batch);
  }

  /** Also of one that came late: else what has become usual would be late for ever. */
  acknowledged(afterMs: number): void {
    this.#acks[this.#acksSeen % ACKS_KEPT] = afterMs;
    this.#acksSeen += 1;
    if (this.#acksSeen % SORT_EVERY !== 0) return;
    const known = this.#acks.slice(0, Math.min(this.#acksSeen, ACKS_KEPT)).sort();
    this.#p99Ms = known[Math.floor(known.length * 0.99)] ?? 0;
  }

  #sinceLook(): number {
    return Math.min(performance.now() - this.#lookedAtMs, 2 * this.#lookMs);
  }

  #look(): void {
    if (this.#waiting.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    this.#delayMs = Math.max(now - this.#lookedAtMs - this.#lookMs, this.#delayMs * KEPT_DELAY);
    this.#ownMs += this.#sinceLook();
    this.#lookedAtMs = now;
    // Timers run before sockets are read: after a pause of this process the answer may already be
    // in the socket. One turn of the loop later it has been read.
    setImmediate(() => this.#tell());
  }

  #tell(): void {
    // To the nearest look.
    const isInTime = ({ sinceMs }: { sinceMs: number }) => this.#ownMs - sinceMs < this.patienceMs - this.#lookMs / 2;
    const inTime = this.#waiting.findIndex(isInTime);
    const late = this.#waiting.splice(0, inTime < 0 ? this.#waiting.length : inTime);
    if (late.length > 0) this.onLate(late.map(({ batch }) => batch));
  }
}
