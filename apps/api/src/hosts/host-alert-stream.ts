import { Readable } from 'node:stream';

import type { LiveReader } from '../live/live-stream.js';

/** Bytes that may wait for a reader; what comes then is read again for it later. */
const MOST_WAITING = 64 * 1_024;
/** Who takes nothing for so long is closed. */
const PATIENCE_MS = 60_000;

/** Server-sent events of surges for one reader: each that comes behind `cursor`, in their order. */
export class HostAlertStream extends Readable {
  /** Bytes written, and those of them taken at the last look, since when none were. */
  #written = 0;
  #taken = 0;
  #takenAtMs = performance.now();
  /** What was written before may still wait for its reader: `readableEnded` comes after that. */
  #isEnded = false;

  /**
   * @param cursor id of the last event the reader has; undefined: it begins with what comes from now on
   * @param patienceMs tests only
   */
  constructor(
    readonly reader: LiveReader,
    public cursor: number | undefined,
    private readonly patienceMs = PATIENCE_MS,
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
    if (!this.#write(`id: ${id}\ndata: ${data}\n\n`)) return false;
    this.cursor = id;
    return true;
  }

  /** Some of what came behind its cursor is not told any more: it goes on behind `id`. @returns as send() */
  sendGap(id: number): boolean {
    if (!this.#write(`event: gap\ndata: {}\nid: ${id}\n\n`)) return false;
    this.cursor = id;
    return true;
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

  /** Closes it where somebody has taken nothing of what waits for too long, also what was ended. To be asked now and then. */
  closeIfStuck(): void {
    const taken = this.#written - this.readableLength;
    if (taken !== this.#taken || this.readableLength === 0) this.#takenAtMs = performance.now();
    this.#taken = taken;
    if (performance.now() - this.#takenAtMs > this.patienceMs) this.destroy();
  }

  #write(text: string): boolean {
    if (this.isEnded || this.readableLength >= MOST_WAITING) return false;
    const bytes = Buffer.from(text);
    this.#written += bytes.length;
    this.push(bytes);
    return true;
  }
}
