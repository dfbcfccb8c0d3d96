/** An interval is judged by its least delay: a single pause of the process, such as a garbage collection, is no queue. */
const INTERVAL_MS = 100;
const LEAST_SAMPLES = 2;
/** Of the share, after one interval above the target. */
const STEEPEST = 0.5;
/** Of the share, after one interval below it. */
const GROWTH = 1.1;
/** Some requests are always admitted. */
const LEAST_SHARE = 0.01;

/**
 * Which share of new requests to admit, so that the delay before a request is handled stays near a target (as CoDel does with
 * packets): a delay that stays above it for an interval reduces the share to what would bring the delay back, at most by half.
 */
export class AdmittedShare {
  value = 1;
  #credit = 0;
  #leastMs = Infinity;
  #samples = 0;
  #endsAtMs: number;

  constructor(
    private readonly targetMs: number,
    nowMs: number,
  ) {
    this.#endsAtMs = nowMs + INTERVAL_MS;
  }

  /** @param delayMs how long a request that came now would wait */
  sample(delayMs: number, nowMs: number): void {
    this.#leastMs = Math.min(this.#leastMs, delayMs);
    this.#samples += 1;
    if (nowMs < this.#endsAtMs || this.#samples < LEAST_SAMPLES) return;
    const factor = this.#leastMs > this.targetMs ? Math.max(STEEPEST, this.targetMs / this.#leastMs) : GROWTH;
    this.value = Math.min(1, Math.max(LEAST_SHARE, this.value * factor));
    this.#leastMs = Infinity;
    this.#samples = 0;
    this.#endsAtMs = nowMs + INTERVAL_MS;
  }

  /** Evenly: with a share of a third, every third request. */
  admits(): boolean {
    this.#credit += this.value;
    if (this.#credit < 1) return false;
    this.#credit -= 1;
    return true;
  }
}
