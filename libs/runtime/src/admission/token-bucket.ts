/** At most `perSecond` in the long run, a second's worth at once; 0 lets nothing through. */
export class TokenBucket {
  #tokens: number;
  #filledAtMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#tokens = perSecond;
    this.#filledAtMs = nowMs();
  }

  take(): boolean {
    const nowMs = this.nowMs();
    const earned = (Math.max(0, nowMs - this.#filledAtMs) * this.perSecond) / 1_000;
    this.#tokens = Math.min(this.perSecond, this.#tokens + earned);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
