/** A shorter time has too few commits in it. */
const SEEN_EVERY_MS = 250;
/** With so many visits a second, and more, a rest is REST_AT_MOST times as long as what was before it. */
const BUSY_PER_SECOND = 600;
const REST_AT_MOST = 3;
const REST_AT_MOST_MS = 5_000;

/** How fast visits are being counted, as one question after the other sees it. */
export class CountingRate {
  #seen: { counted: number; atMs: number } | undefined;
  #perSecond = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** @param counted records that were counted until now */
  see(counted: number): void {
    const atMs = this.nowMs();
    const elapsedMs = this.#seen === undefined ? 0 : atMs - this.#seen.atMs;
    if (this.#seen !== undefined && elapsedMs < SEEN_EVERY_MS) return;
    // Fewer: a consumer was sent back.
    if (this.#seen !== undefined) this.#perSecond = Math.max(0, ((counted - this.#seen.counted) / elapsedMs) * 1_000);
    this.#seen = { counted, atMs };
  }

  /**
   * For how long others that wait are to wait after a question that took so long, so that commits have the processor: in proportion
   * to how many visits come. Whatever comes, a quarter of the time is for questions, and after five seconds the next one begins.
   */
  restMs(tookMs: number): number {
    const isBusy = Math.min(1, this.#perSecond / BUSY_PER_SECOND);
    return Math.min(REST_AT_MOST_MS, REST_AT_MOST * isBusy * tookMs);
  }
}
