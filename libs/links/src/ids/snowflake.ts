import { AppError } from '@hopcount/runtime';

/** 2025-01-01T00:00:00Z; 41 bits of milliseconds last until 2094. */
export const SNOWFLAKE_EPOCH_MS = Date.UTC(2025, 0, 1);
const SEQUENCE_COUNT = 1 << 12;
const TIME_LIMIT_MS = 2 ** 41;

/** Who may make ids right now; see {@link WorkerLease}. */
export interface WorkerIdSource {
  /** @returns the held worker id, 0..1023; undefined while none is held */
  current(): number | undefined;
}

/**
 * Makes 63-bit ids: 41 bits of milliseconds since {@link SNOWFLAKE_EPOCH_MS}, 10 bits worker, 12 bits
 * sequence. Ids of one process only rise: when the clock steps back the last millisecond is used
 * on, and when its 4,096 ids are used up the next one is borrowed.
 */
export class Snowflakes {
  #lastMs = -1; // since the epoch above
  #sequence = 0;

  constructor(
    private readonly worker: WorkerIdSource,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @throws AppError `worker-lease-lost` (retryable) while no worker id is held */
  next(): bigint {
    const worker = this.worker.current();
    if (worker === undefined) {
      throw new AppError('worker-lease-lost', 'No snowflake worker id is held; ids cannot be made.', {
        retryable: true,
      });
    }
    this.#advance(this.nowMs() - SNOWFLAKE_EPOCH_MS);
    return (BigInt(this.#lastMs) << 22n) | (BigInt(worker) << 12n) | BigInt(this.#sequence);
  }

  #advance(elapsedMs: number): void {
    if (elapsedMs > this.#lastMs) {
      this.#lastMs = elapsedMs;
      this.#sequence = 0;
    } else if (++this.#sequence === SEQUENCE_COUNT) {
      this.#lastMs += 1;
      this.#sequence = 0;
    }
    if (this.#lastMs < 0 || this.#lastMs >= TIME_LIMIT_MS) {
      throw new RangeError('the clock is outside what a snowflake id can hold (2025 to 2094)');
    }
  }
}

/** The parts of an id; the time is epoch milliseconds (UTC). */
export function readSnowflake(id: bigint): { timeMs: number; workerId: number; sequence: number } {
  return {
    timeMs: Number(id >> 22n) + SNOWFLAKE_EPOCH_MS,
    workerId: Number((id >> 12n) & 0x3ffn),
    sequence: Number(id & 0xfffn),
  };
}
