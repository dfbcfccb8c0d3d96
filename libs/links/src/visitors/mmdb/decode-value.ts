import type { PagedFile } from './paged-file.js';

/** More than a record of any file has: names in eight languages are some hundred values. A damaged file may lead in circles. */
const MOST_VALUES = 1_024;
const MOST_BYTES = 65_536;
/** Of a pointer, by the length of it. */
const POINTER_BASE = [0, 2_048, 526_336, 0];
const [POINTER, TEXT, DOUBLE, BYTES, UINT16, UINT32, MAP] = [1, 2, 3, 4, 5, 6, 7];
const [INT32, UINT64, UINT128, ARRAY, BOOLEAN, FLOAT] = [8, 9, 10, 11, 14, 15];

/**
 * One value of a file in MaxMind's format: https://maxmind.github.io/MaxMind-DB, "Data Section".
 * @param base what pointers count from
 * @throws RangeError: the file is damaged
 */
export function decodeValue(file: PagedFile, base: number, offset: number): unknown {
  return new Decoder(file, base, offset).value();
}

class Decoder {
  #values = 0;

  constructor(
    private readonly file: PagedFile,
    private readonly base: number,
    private at: number,
  ) {}

  value(): unknown {
    if (++this.#values > MOST_VALUES) throw new RangeError('the file leads in circles');
    const control = this.#unsigned(1);
    const type = control >> 5;
    if (type === POINTER) return this.#pointed(control);
    return type === 0 ? this.#ofType(this.#unsigned(1) + 7, control) : this.#ofType(type, control);
  }

  #pointed(control: number): unknown {
    const extra = (control >> 3) & 3;
    const high = extra === 3 ? 0 : (control & 7) * 256 ** (extra + 1);
    const target = this.base + high + this.#unsigned(extra + 1) + POINTER_BASE[extra]!;
    const next = this.at;
    this.at = target;
    const value = this.value();
    this.at = next;
    return value;
  }

  #ofType(type: number, control: number): unknown {
    const size = this.#size(control & 31);
    switch (type) {
      case TEXT:
        return this.file.text(this.#pass(size), size);
      case MAP:
        return this.#map(size);
      case DOUBLE:
        return this.file.memory.readDoubleBE(this.file.find(this.#pass(8), 8));
      case UINT16:
      case UINT32:
        if (size > 4) throw new RangeError(`no number has ${size} bytes`);
        return this.#unsigned(size);
      case INT32:
        return size < 4 ? this.#unsigned(size) : this.#unsigned(4) | 0;
      case UINT64:
      case UINT128:
        return this.#big(size);
      case ARRAY:
        return Array.from({ length: this.#few(size) }, () => this.value());
      case BOOLEAN:
        return size !== 0;
      case FLOAT:
        return this.file.memory.readFloatBE(this.file.find(this.#pass(4), 4));
      case BYTES:
        return this.file.bytes(this.#pass(size), size);
      default:
        throw new RangeError(`no value is of type ${type}`);
    }
  }

  /** Of bytes, pairs or elements. */
  #size(short: number): number {
    if (short < 29) return short;
    const size = [29, 285, 65_821][short - 29]! + this.#unsigned(short - 28);
    if (size > MOST_BYTES) throw new RangeError(`no value is ${size} long`);
    return size;
  }

  #few(size: number): number {
    if (size > MOST_VALUES) throw new RangeError(`no record has ${size} values`);
    return size;
  }

  #map(size: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    for (let pair = this.#few(size); pair > 0; pair -= 1) {
      const key = this.value();
      map[String(key)] = this.value();
    }
    return map;
  }

  /** Of at most four bytes. */
  #unsigned(length: number): number {
    if (length === 0) return 0;
    return this.file.memory.readUIntBE(this.file.find(this.#pass(length), length), length);
  }

  #big(size: number): bigint {
    if (size > 16) throw new RangeError(`no number has ${size} bytes`);
    return size === 0 ? 0n : BigInt(`0x${this.file.bytes(this.#pass(size), size).toString('hex')}`);
  }

  /** @returns where it was */
  #pass(length: number): number {
    const at = this.at;
    this.at += length;
    return at;
  }
}
