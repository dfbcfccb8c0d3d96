/** `PGCOPY\n\377\r\n\0`, no flags, no extension. */
const HEAD = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const NO_VALUE = -1;
/** PostgreSQL counts microseconds from 2000-01-01. */
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1);
const DASHES = new Set([8, 13, 18, 23]);
/** Places of the 16 pairs of digits in a UUID's text. */
const UUID_PAIRS = Array.from({ length: 36 }, (_, at) => at).filter((at) => !DASHES.has(at) && isFirstOfPair(at));
/** Longer texts are encoded faster by Node, shorter ones here. */
const SHORT_TEXT = 24;

const FIRST_BYTES = 64 * 1024;
/** Of the last encoder that came to its end: as large as batches are. */
let spare: Buffer | undefined;

/**
 * Rows in COPY's binary format (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"): PostgreSQL reads them
 * in half the time that arrays as text take. Each method appends one field; its column must have exactly that type.
 */
export class CopyRows {
  #bytes: Buffer;
  #at = 0;
  readonly #starts: number[] = [];

  constructor(private readonly columns: number) {
    this.#bytes = spare ?? Buffer.alloc(FIRST_BYTES);
    spare = undefined;
  }

  beginRow(): void {
    this.#reserve(2);
    this.#starts.push(this.#at);
    this.#at = this.#bytes.writeInt16BE(this.columns, this.#at);
  }

  /** text: a lone surrogate becomes U+FFFD, as in statements' parameters. PostgreSQL refuses U+0000. */
  text(value: string | null): void {
    if (value === null) return this.#missing();
    this.#reserve(4 + 3 * value.length);
    const start = this.#at + 4;
    const end = value.length <= SHORT_TEXT ? writeAscii(this.#bytes, value, start) : -1;
    this.#at = end === -1 ? start + this.#bytes.write(value, start) : end;
    this.#bytes.writeInt32BE(this.#at - start, start - 4);
  }

  /** uuid, as canonical text */
  uuid(value: string): void {
    this.#begin(16);
    for (const at of UUID_PAIRS) this.#bytes[this.#at++] = (hexDigit(value, at) << 4) | hexDigit(value, at + 1);
  }

  smallint(value: number): void {
    this.#begin(2);
    this.#at = this.#bytes.writeInt16BE(value, this.#at);
  }

  real(value: number | null): void {
    if (value === null) return this.#missing();
    this.#begin(4);
    this.#at = this.#bytes.writeFloatBE(value, this.#at);
  }

  /** timestamptz, as epoch milliseconds */
  instant(ms: number): void {
    this.#begin(8);
    const us = (ms - POSTGRES_EPOCH_MS) * 1_000;
    if (Number.isSafeInteger(us)) {
      this.#at = this.#bytes.writeInt32BE(Math.floor(us / 0x1_0000_0000), this.#at);
      this.#at = this.#bytes.writeUInt32BE(us >>> 0, this.#at);
    } else this.#at = this.#bytes.writeBigInt64BE(BigInt(ms - POSTGRES_EPOCH_MS) * 1_000n, this.#at);
  }

  /**
   * @param order of the rows, by their number; it may leave some out
   * @returns them in memory of their own, and where each begins
   */
  end(order: readonly number[] = [...this.#starts.keys()]): { bytes: Uint8Array<ArrayBuffer>; starts: Uint32Array } {
    const [all, starts] = [this.#starts, new Uint32Array(order.length)];
    const endOf = (row: number) => all[row + 1] ?? this.#at;
    const length = order.reduce((sum, row) => sum + endOf(row) - all[row]!, HEAD.length + 2);
    const bytes = Buffer.alloc(length);
    let at = HEAD.copy(bytes);
    order.forEach((row, place) => {
      starts[place] = at;
      at += this.#bytes.copy(bytes, at, all[row], endOf(row));
    });
    bytes.writeInt16BE(NO_VALUE, at);
    spare = this.#bytes;
    return { bytes: new Uint8Array(bytes.buffer), starts };
  }

  #missing(): void {
    this.#reserve(4);
    this.#at = this.#bytes.writeInt32BE(NO_VALUE, this.#at);
  }

  #begin(length: number): void {
    this.#reserve(4 + length);
    this.#at = this.#bytes.writeInt32BE(length, this.#at);
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Reads one row of CopyRows again, field by field, each by the method that wrote it. */
export class CopiedRow {
  #at: number;

  constructor(
    private readonly bytes: Buffer,
    start: number,
  ) {
    this.#at = start + 2;
  }

  text(): string | null {
    const length = this.#length();
    if (length === NO_VALUE) return null;
    return this.bytes.toString('utf8', this.#at, (this.#at += length));
  }

  /** A field of any type that is not wanted. */
  skip(): void {
    const length = this.#length();
    this.#at += Math.max(length, 0);
  }

  smallint(): number {
    this.#at += 6;
    return this.bytes.readInt16BE(this.#at - 2);
  }

  real(): number | null {
    if (this.#length() === NO_VALUE) return null;
    this.#at += 4;
    return this.bytes.readFloatBE(this.#at - 4);
  }

  instant(): number {
    this.#at += 12;
    const us = this.bytes.readInt32BE(this.#at - 8) * 0x1_0000_0000 + this.bytes.readUInt32BE(this.#at - 4);
    const ms = Number.isSafeInteger(us) ? us / 1_000 : Number(this.bytes.readBigInt64BE(this.#at - 8) / 1_000n);
    return ms + POSTGRES_EPOCH_MS;
  }

  #length(): number {
    this.#at += 4;
    return this.bytes.readInt32BE(this.#at - 4);
  }
}

/** @returns where it ends; -1: it is not all ASCII */
function writeAscii(bytes: Buffer, value: string, start: number): number {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code > 0x7f) return -1;
    bytes[start + at] = code;
  }
  return start + value.length;
}

function isFirstOfPair(at: number): boolean {
  return (at - [...DASHES].filter((dash) => dash < at).length) % 2 === 0;
}

function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : (code | 0x20) - 0x57;
}
