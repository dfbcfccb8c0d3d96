import { AppError } from '@hopcount/runtime';

export const SNOWFLAKE_EPOCH_MS = Date.UTC(2025, 0, 1);
const SEQUENCE_COUNT = 1 << 12;
const TIME_LIMIT_MS = 2 ** 41;
/** 2094-09-07T15:47:35.552Z: the first millisecond that 41 bits do not hold. */
export const SNOWFLAKE_END_MS = SNOWFLAKE_EPOCH_MS + TIME_LIMIT_MS;

/** Who may make ids right now; see {@link WorkerLease}. */
export interface WorkerIdSource {
  /** @returns the held worker id, 0..1023; undefined while none is held */
  current(): number | undefined;
  /** Milliseconds (wall clock, epoch) that are this holder's alone under that worker id, both included; absent: all. */
  window?(): { fromMs: number; untilMs: number };
}

/**
 * Makes 63-bit ids: 41 bits of milliseconds since {@link SNOWFLAKE_EPOCH_MS}, 10 bits worker, 12 bits
 * sequence. Ids of one process only rise: when the clock steps back the last millisecond is used
 * on, and when its 4,096 ids are used up the next one is borrowed. Every id is inside of the window its worker id was
 * leased for, so that no clock, set back or forth, makes one that another process made.
 */
export class Snowflakes {
  #lastMs = -1; // since the epoch above
  #sequence = 0;
  #window = { fromMs: 0, untilMs: Infinity };

  constructor(
    private readonly worker: WorkerIdSource,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @throws AppError `worker-lease-lost` (retryable) while no worker id is held; `ids-exhausted` */
  next(): bigint {
    const worker = this.worker.current();
    if (worker === undefined) throw leaseLost('No snowflake worker id is held; ids cannot be made.');
    const { fromMs, untilMs } = this.#enterWindow();
    this.#advance(Math.max(this.nowMs(), fromMs) - SNOWFLAKE_EPOCH_MS, untilMs - SNOWFLAKE_EPOCH_MS);
    return (BigInt(this.#lastMs) << 22n) | (BigInt(worker) << 12n) | BigInt(this.#sequence);
  }

  /** Of another lease nothing that was made before matters: an id of its own, or a time that nobody had. */
  #enterWindow() {
    const window = this.worker.window?.() ?? this.#window;
    if (window.fromMs !== this.#window.fromMs) this.#lastMs = -1;
    this.#window = window;
    return window;
  }

  #advance(elapsedMs: number, untilMs: number): void {
    const isLater = elapsedMs > this.#lastMs;
    const sequence = isLater ? 0 : (this.#sequence + 1) % SEQUENCE_COUNT;
    const ms = isLater ? elapsedMs : this.#lastMs + (sequence === 0 ? 1 : 0);
    if (ms < 0 || ms >= TIME_LIMIT_MS) {
      const now = new Date(ms + SNOWFLAKE_EPOCH_MS).toISOString();
      const message = `Ids of links hold times from 2025-01-01 to 2094-09-07, and the clock says ${now}. Correct the clock.`;
      throw new AppError('ids-exhausted', message);
    }
    if (ms > untilMs) {
      throw leaseLost(
        'The clock is ahead of what the worker id is leased for; ids cannot be made until it is renewed.',
      );
    }
    this.#lastMs = ms;
    this.#sequence = sequence;
  }
}

function leaseLost(message: string): AppError {
  return new AppError('worker-lease-lost', message, { retryable: true });
}

/** The parts of an id; the time is epoch milliseconds (UTC). */
export function readSnowflake(id: bigint): { timeMs: number; workerId: number; sequence: number } {
  return {
    timeMs: Number(id >> 22n) + SNOWFLAKE_EPOCH_MS,
    workerId: Number((id >> 12n) & 0x3ffn),
    sequence: Number(id & 0xfffn),
  };
}
