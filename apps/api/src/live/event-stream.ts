import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Identity } from '@hopcount/identities';
import type { Reach } from '@hopcount/runtime';

/** Whose key or session it is, and what that reaches. */
export interface LiveReader extends Pick<Identity, 'kind' | 'id' | 'hash'> {
  reach: Reach;
}

export interface StreamSettings {
  /** Bytes from which on a reader is sent nothing new until it has taken some. */
  mostWaitingBytes: number;
  /** A reader that takes nothing of what waits for so long is closed. */
  patienceMs: number;
  /** Epoch milliseconds: then it is ended. */
  endsAtMs?: number;
}

const LOOK_AGAIN_MS = 25;

/**
 * Server-sent events for one reader. What it has not taken yet waits here, up to a bound, and no other reader waits for it.
 *
 *   open → ended (takes nothing new; the reader still gets what waits) → closed
 *   open → closed (the reader left, or took nothing for too long)
 *
 * `readableEnded` is true only once the reader has taken everything, so it does not say whether more may be written: a
 * push after the end is an error that nobody catches. #state says it, and only #moveTo changes it.
 */
export class EventStream extends Readable {
  #state: 'open' | 'ended' | 'closed' = 'open';
  /** Bytes written, and those of them taken at the last look, since when none were. */
  #written = 0;
  #taken = 0;
  #takenAtMs = performance.now();
  #writtenAtMs = performance.now();

  constructor(
    readonly reader: LiveReader,
    private readonly settings: StreamSettings,
  ) {
    super({ highWaterMark: settings.mostWaitingBytes });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get isFull(): boolean {
    return this.readableLength >= this.settings.mostWaitingBytes;
  }

  override _read(): void {
    // Events come by themselves.
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#moveTo('closed');
    done(error);
  }

  /** @returns false: nothing was written, as it is full or not open any more */
  write(text: string): boolean {
    if (!this.isOpen || this.isFull) return false;
    const bytes = Buffer.from(text);
    if (this.readableLength === 0) this.#takenAtMs = performance.now();
    this.#written += bytes.length;
    this.#writtenAtMs = performance.now();
    this.push(bytes);
    return true;
  }

  end(): void {
    if (this.#moveTo('ended')) this.push(null);
  }

  /** Until the reader has taken most of what waits, or nothing more is written. */
  async drained(): Promise<void> {
    while (this.isOpen && this.readableLength > this.settings.mostWaitingBytes / 4) await sleep(LOOK_AGAIN_MS);
  }

  /** To be called now and then: ends it when it is over, closes it when its reader is stuck, keeps silent connections alive. */
  look({ aliveEveryMs }: { aliveEveryMs: number }): void {
    const nowMs = performance.now();
    const taken = this.#written - this.readableLength;
    if (taken !== this.#taken || this.readableLength === 0) this.#takenAtMs = nowMs;
    this.#taken = taken;
    if (nowMs - this.#takenAtMs > this.settings.patienceMs) this.destroy();
    else if (Date.now() >= (this.settings.endsAtMs ?? Infinity)) this.end();
    else if (nowMs - this.#writtenAtMs >= aliveEveryMs) this.write(': alive\n\n');
  }

  #moveTo(state: 'ended' | 'closed'): boolean {
    if (this.#state === 'closed' || this.#state === state) return false;
    this.#state = state;
    return true;
  }
}
