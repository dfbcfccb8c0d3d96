import { randomFillSync } from 'node:crypto';

const POOL_SIZE_BYTES = 8 * 512;
const COUNTER_LIMIT = 0x1000; // rand_a: 12 bits

/**
 * Makes UUIDv7 ids (RFC 9562, method 1: rand_a is a counter) that never go backwards within a
 * process: on the same millisecond, or when the clock steps back, the counter rises; when it is
 * full the time is moved on by a millisecond. rand_b keeps 62 bits from the CSPRNG.
 */
export class UuidV7Source {
  readonly #pool = Buffer.alloc(POOL_SIZE_BYTES);
  #poolOffset = POOL_SIZE_BYTES;
  #lastMs = 0;
  #counter = 0;

  constructor(private readonly nowMs: () => number = Date.now) {}

  next(): string {
    const now = this.nowMs();
    if (now > this.#lastMs) {
      this.#lastMs = now;
      this.#counter = 0;
    } else if (++this.#counter >= COUNTER_LIMIT) {
      this.#lastMs += 1;
      this.#counter = 0;
    }
    if (this.#poolOffset === POOL_SIZE_BYTES) {
      randomFillSync(this.#pool);
      this.#poolOffset = 0;
    }
    const tail = this.#pool.toString('hex', this.#poolOffset, this.#poolOffset + 8);
    const variant = ((this.#pool[this.#poolOffset] ?? 0) & 0x3f) | 0x80;
    this.#poolOffset += 8;
    const time = this.#lastMs.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${this.#counter.toString(16).padStart(3, '0')}-${variant.toString(16)}${tail.slice(2, 4)}-${tail.slice(4)}`;
  }
}
