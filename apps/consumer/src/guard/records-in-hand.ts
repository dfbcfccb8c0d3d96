import { AppError } from '@hopcount/runtime';

type Manner = 'together' | 'alone';

interface Waiting {
  manner: Manner;
  go: () => void;
}

const LOOK_EVERY_MS = 250;

/**
 * What this process has in hand: batches of several partitions together, or one piece alone. Only a piece
 * that was alone can be blamed for a death; without this two partitions that die in lockstep would both be.
 * First come, first served, so neither side starves the other.
 */
export class RecordsInHand {
  #together = 0;
  #isAlone = false;
  readonly #waiting: Waiting[] = [];

  /** @throws AppError `batch-abandoned` once `isCurrent` says that nobody waits for it any more */
  async hold<T>(manner: Manner, isCurrent: () => boolean, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#isFree(manner)) await this.#wait(manner, isCurrent);
    else this.#take(manner);
    try {
      return await work();
    } finally {
      if (manner === 'alone') this.#isAlone = false;
      else this.#together -= 1;
      this.#admit();
    }
  }

  /** A rebalance of the group waits for this batch: whoever has hold may wait long, for the dead-letter topic say. */
  async #wait(manner: Manner, isCurrent: () => boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((go, giveUp) => {
        const waiting = { manner, go };
        this.#waiting.push(waiting);
        timer = setInterval(() => {
          const place = this.#waiting.indexOf(waiting);
          if (place === -1 || isCurrent()) return;
          this.#waiting.splice(place, 1);
          this.#admit();
          giveUp(new AppError('batch-abandoned', 'Gave up waiting for the records of other partitions.'));
        }, LOOK_EVERY_MS).unref();
      });
    } finally {
      clearInterval(timer);
    }
  }

  #isFree(manner: Manner): boolean {
    return !this.#isAlone && (manner === 'together' || this.#together === 0);
  }

  #take(manner: Manner): void {
    if (manner === 'alone') this.#isAlone = true;
    else this.#together += 1;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#isFree(next.manner); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.manner);
      next.go();
    }
  }
}
