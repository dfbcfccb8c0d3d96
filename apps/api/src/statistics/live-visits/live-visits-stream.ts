import { Readable } from 'node:stream';

import type { LiveVisitsAnswer } from '@hopcount/contracts';

import type { LiveReader } from '../../live/live-stream.js';

/** Bytes that may wait for a reader; what is newer says all that was in what is left out. */
const MOST_WAITING = 16 * 1_024;
/** Who takes nothing for so long is closed. */
const PATIENCE_MS = 60_000;

/** Server-sent events of counts for one reader: the newest of them, where it takes fewer than come. */
export class LiveVisitsStream extends Readable {
  #isFullSinceMs: number | undefined;

  constructor(
    readonly reader: LiveReader,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    super({ highWaterMark: MOST_WAITING });
  }

  override _read(): void {
    // What there is comes by itself.
  }

  send(answer: LiveVisitsAnswer): void {
    if (this.destroyed || this.readableEnded) return;
    if (this.readableLength < MOST_WAITING) {
      this.#isFullSinceMs = undefined;
      this.push(`data: ${JSON.stringify(answer)}\n\n`);
      return;
    }
    this.#isFullSinceMs ??= performance.now();
    if (performance.now() - this.#isFullSinceMs > this.patienceMs) this.destroy();
  }

  end(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }
}
