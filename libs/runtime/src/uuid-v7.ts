import { randomFillSync } from 'node:crypto';

const POOL_SIZE_BYTES = 8 * 512;
const COUNTER_LIMIT = 0x1000; // rand_a: 12 bits
const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Makes UUIDv7 ids (RFC 9562, method 1: rand_a is a counter) that never go backwards within a
 * process: on the same millisecond, or when the clock steps back, the counter rises; when it is
 * full the time is moved on by a millisecond. rand_b keeps 62 bits from the CSPRNG.
 */
export class UuidV7Source {
  readonly #pool = Buffer.alloc(POOL_SIZE_BYTES);
  #poolOffset = POOL_SIZE_BYTES;
  #lastMs = 0;
  /** What all ids of that millisecond begin with. */
  #time = timeText(0);
  #counter = 0;

  constructor(private readonly nowMs: () => number = Date.now) {}

  next(): string {
    const now = this.nowMs();
    if (now > this.#lastMs) this.#startMillisecond(now);
    else if (++this.#counter >= COUNTER_LIMIT) this.#startMillisecond(this.#lastMs + 1);
    if (this.#poolOffset === POOL_SIZE_BYTES) {
      randomFillSync(this.#pool);
      this.#poolOffset = 0;
    }
    const counter = this.#counter;
    const at = this.#poolOffset;
    this.#poolOffset += 8;
    return (
      `${this.#time}${(counter >>> 8).toString(16)}${hex(counter & 0xff)}` +
      `-${hex((this.#random(at) & 0x3f) | 0x80)}${hex(this.#random(at + 1))}` +
      `-${hex(this.#random(at + 2))}${hex(this.#random(at + 3))}${hex(this.#random(at + 4))}` +
      `${hex(this.#random(at + 5))}${hex(this.#random(at + 6))}${hex(this.#random(at + 7))}`
    );
  }

  #startMillisecond(ms: number): void {
    this.#lastMs = ms;
    this.#time = timeText(ms);
    this.#counter = 0;
  }

  #random(at: number): number {
    return this.#pool[at] as number;
  }
}

function hex(byte: number): string {
  return HEX_BYTES[byte] as string;
}

function timeText(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7`;
}
