type Manner = 'together' | 'alone';

/**
 * What this process has in hand: batches of several partitions together, or one piece alone. Only a piece
 * that was alone can be blamed for a death; without this two partitions that die in lockstep would both be.
 * First come, first served, so neither side starves the other.
 */
export class RecordsInHand {
  #together = 0;
  #isAlone = false;
  readonly #waiting: { manner: Manner; go: () => void }[] = [];

  async hold<T>(manner: Manner, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#isFree(manner)) {
      await new Promise<void>((go) => this.#waiting.push({ manner, go }));
    } else {
      this.#take(manner);
    }
    try {
      return await work();
    } finally {
      this.#release(manner);
    }
  }

  #isFree(manner: Manner): boolean {
    return !this.#isAlone && (manner === 'together' || this.#together === 0);
  }

  #take(manner: Manner): void {
    if (manner === 'alone') this.#isAlone = true;
    else this.#together += 1;
  }

  #release(manner: Manner): void {
    if (manner === 'alone') this.#isAlone = false;
    else this.#together -= 1;
    for (let next = this.#waiting[0]; next !== undefined && this.#isFree(next.manner); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.manner);
      next.go();
    }
  }
}
