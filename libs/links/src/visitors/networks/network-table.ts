import type { NormalisedAddress } from '../routable-address.js';

/** Of a network: its AS number and who runs it, as in `AS64500 Example Ltd`. */
export interface NetworkSource {
  find(address: NormalisedAddress): string | undefined;
}

const WORDS = { 4: 1, 6: 4 };
const READ = { 4: readIPv4, 6: readIPv6 };
/** Of the address that is being read: half a million of them make no garbage. */
const GROUPS = new Uint16Array(8);
const [COMMA, QUOTE, NEWLINE, CARRIAGE_RETURN, COLON, DOT, ZERO, NINE] = [44, 34, 10, 13, 58, 46, 48, 57];
const NAME_LENGTH = 120;

/**
 * Ranges of addresses of one kind in order, and whose network each is: 12 bytes a range of IPv4, 36 of IPv6, and each
 * name once. Found by halving, in 1.5 µs.
 */
export class NetworkTable implements NetworkSource {
  readonly #ranges: Ranges;
  readonly #names = new Names();

  /** @param csv first and last address, AS number and name @throws RangeError: it is something else */
  constructor(
    csv: Buffer,
    private readonly family: 4 | 6,
  ) {
    this.#ranges = readRanges(csv, family, this.#names);
  }

  find({ text, family }: NormalisedAddress): string | undefined {
    if (family !== this.family) return undefined;
    const { count, words, starts, ends, names } = this.#ranges;
    const address = new Uint32Array(words);
    const bytes = Buffer.from(text);
    const readAddress = READ[family];
    if (readAddress(bytes, 0, address, 0) !== bytes.length) return undefined;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(starts, middle * words, words, address) <= 0) low = middle + 1;
      else high = middle;
    }
    const nth = low - 1;
    if (nth < 0 || compare(ends, nth * words, words, address) < 0) return undefined;
    return this.#names.all[names[nth] ?? 0];
  }
}

interface Ranges {
  count: number;
  words: number;
  starts: Uint32Array;
  ends: Uint32Array;
  /** Places of names. */
  names: Uint32Array;
}

/** Each network once. */
class Names {
  readonly all: string[] = [];
  readonly #places = new Map<number, number>();

  placeOf(asNumber: number): number | undefined {
    return this.#places.get(asNumber);
  }

  add(asNumber: number, name: string): number {
    const place = this.all.push(networkName(asNumber, name)) - 1;
    this.#places.set(asNumber, place);
    return place;
  }
}

export function networkName(asNumber: number, name: string): string {
  return `AS${asNumber} ${name.slice(0, NAME_LENGTH)}`.trim();
}

function readRanges(csv: Buffer, family: 4 | 6, networks: Names): Ranges {
  const [lines, words, readAddress] = [countLines(csv), WORDS[family], READ[family]];
  const [starts, ends] = [new Uint32Array(lines * words), new Uint32Array(lines * words)];
  const names = new Uint32Array(lines);
  let [at, count] = [0, 0];
  while (at < csv.length) {
    const place = count * words;
    at = expectComma(csv, readAddress(csv, at, starts, place), count);
    at = expectComma(csv, readAddress(csv, at, ends, place), count);
    let asNumber = 0;
    for (; isDigit(csv[at]); at += 1) asNumber = asNumber * 10 + (csv[at] ?? 0) - ZERO;
    at = expectComma(csv, at, count);
    const newline = csv.indexOf(NEWLINE, at);
    const end = newline < 0 ? csv.length : newline;
    names[count] = networks.placeOf(asNumber) ?? networks.add(asNumber, readText(csv, at, end));
    // Their ends may overlap (some do): an address is of the range that begins last before it.
    const isBehind = count === 0 || compare(starts, place - words, words, starts, place) < 0;
    if (!isBehind || compare(ends, place, words, starts, place) < 0) throw broken(count);
    at = end + 1;
    count += 1;
  }
  if (count === 0) throw new RangeError('a file of networks is empty');
  return { count, words, starts, ends, names };
}

function countLines(csv: Buffer): number {
  let lines = 0;
  for (let at = 0; at >= 0 && at < csv.length; lines += 1) {
    const newline = csv.indexOf(NEWLINE, at);
    at = newline < 0 ? csv.length : newline + 1;
  }
  return lines;
}

/** @returns where it ends; of what is no address, somewhere before */
function readIPv4(bytes: Buffer, from: number, into: Uint32Array, place: number): number {
  let [at, value, part] = [from, 0, 0];
  for (; isDigit(bytes[at]) || bytes[at] === DOT; at += 1) {
    if (bytes[at] === DOT) {
      value = value * 256 + part;
      part = 0;
    } else part = part * 10 + (bytes[at] ?? 0) - ZERO;
  }
  into[place] = value * 256 + part;
  return at;
}

function readIPv6(bytes: Buffer, from: number, into: Uint32Array, place: number): number {
  GROUPS.fill(0);
  let [at, count, gap, value, digits] = [from, 0, -1, 0, 0];
  for (; ; at += 1) {
    const digit = hexDigit(bytes[at]);
    if (digit >= 0) {
      value = value * 16 + digit;
      digits += 1;
      continue;
    }
    if (digits > 0) {
      GROUPS[count] = value;
      count += 1;
      value = 0;
      digits = 0;
    }
    if (bytes[at] !== COLON) break;
    if (bytes[at + 1] === COLON) gap = count;
  }
  // `::` stands for as many zeros as are missing.
  if (gap >= 0) {
    GROUPS.copyWithin(8 - count + gap, gap, count);
    GROUPS.fill(0, gap, 8 - count + gap);
  }
  for (let word = 0; word < 4; word += 1)
    into[place + word] = (GROUPS[2 * word] ?? 0) * 65_536 + (GROUPS[2 * word + 1] ?? 0);
  return at;
}

function hexDigit(byte = 0): number {
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Of a cell up to the end of its line; quoted where it has a comma or quotes. */
function readText(csv: Buffer, from: number, end: number): string {
  const text = csv.toString('utf8', from, csv[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
  return csv[from] === QUOTE ? text.slice(1, -1).replaceAll('""', '"') : text;
}

function expectComma(csv: Buffer, at: number, line: number): number {
  if (csv[at] !== COMMA) throw broken(line);
  return at + 1;
}

function broken(line: number): RangeError {
  return new RangeError(`line ${line + 1} of a file of networks is no range behind the one before`);
}

function compare(all: Uint32Array, at: number, words: number, address: Uint32Array, from = 0): number {
  for (let word = 0; word < words; word += 1) {
    const difference = (all[at + word] ?? 0) - (address[from + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
