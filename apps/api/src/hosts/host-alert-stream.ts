import { Readable } from 'node:stream';

import type { LiveReader } from '../live/live-stream.js';

/** Bytes that may wait for a reader; what comes then is read again for it later. */
const MOST_WAITING = 64 * 1_024;
/** Who takes nothing for so long is closed. */
const PATIENCE_MS = 60_000;

/** Server-sent events of surges for one reader: each that comes behind `cursor`, in their order. */
export class HostAlertStream extends Readable {
  #isFullSinceMs: number | undefined;
  /** What was written before may still wait for its reader: `readableEnded` comes after that. */
  #isEnded = false;

  /** @param cursor id of the last event the reader has; undefined: it begins with what comes from now on */
  constructor(
    readonly reader: LiveReader,
    public cursor: number | undefined,
  ) {
    super({ highWaterMark: MOST_WAITING });
  }

  get isEnded(): boolean {
    return this.#isEnded || this.destroyed;
  }

  override _read(): void {
    // What there is comes by itself.
  }

  /** @returns false: it has no room; the cursor stays */
  send(id: number, data: string): boolean {
    if (this.isEnded) return false;
    if (this.readableLength >= MOST_WAITING) {
      this.#isFullSinceMs ??= performance.now();
      if (performance.now() - this.#isFullSinceMs > PATIENCE_MS) this.destroy();
      return false;
    }
    this.#isFullSinceMs = undefined;
    this.cursor = id;
    this.push(`id: ${id}\ndata: ${data}\n\n`);
    return true;
  }

  /** Some of what came behind its cursor is not told any more. */
  sendGap(): void {
    this.#write('event: gap\ndata: {}\n\n');
  }

  /** Without data it is no event to a client, but it goes on from there. */
  sendPlace(): void {
    this.#write(`: alive\nid: ${this.cursor ?? ''}\n\n`);
  }

  end(): void {
    if (this.isEnded) return;
    this.#isEnded = true;
    this.push(null);
  }

  #write(text: string): void {
    if (!this.isEnded) this.push(text);
  }
}
