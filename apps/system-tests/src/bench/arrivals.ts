import { setTimeout as sleep } from 'node:timers/promises';

import type { VisitProducer } from './produce-visits.js';

export const PER_SECOND = 2_000;
/** They come in so many portions a second. */
const PORTIONS = 10;

/** Visits at a steady rate, until stopped. A portion that is late is sent at once: the rate is kept on average. */
export class Arrivals {
  count = 0;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(private readonly producer: VisitProducer) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    await this.producer.close();
  }

  async #run(): Promise<void> {
    const startedMs = performance.now();
    for (let portion = 1; !this.#stopped; portion += 1) {
      await this.producer.send(PER_SECOND / PORTIONS);
      this.count += PER_SECOND / PORTIONS;
      await sleep(Math.max(0, startedMs + (portion * 1_000) / PORTIONS - performance.now()));
    }
  }
}
