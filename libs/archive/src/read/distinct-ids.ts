/** So few that their tables fit in a processor's cache: a look at memory for each id takes most of the time. */
const IDS_OF_A_PART = 8_192;
/** Between them others have their turn: they take a few milliseconds. */
const PARTS_AT_ONCE = 16;

export interface DistinctCounts {
  total: number;
  /** By point. */
  points: Uint32Array;
}

/**
 * Ids of 64 bits, each at a point of a series: how many distinct ones there are in all and at each point. In a sixth of
 * DuckDB's time, which counts one after the other. 12 bytes each, twice that while they are counted.
 */
export class DistinctIds {
  #halves: Uint32Array;
  #points: Int32Array;
  #length = 0;

  /** @param room for about so many ids; it grows, which costs time */
  constructor(room: number) {
    this.#halves = new Uint32Array(2 * room);
    this.#points = new Int32Array(room);
  }

  /** Parallel; below 0, a point is none and its id is left out. */
  add(points: Int32Array, ids: BigInt64Array): void {
    this.#makeRoomFor(points.length);
    const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
    let length = this.#length;
    for (let n = 0; n < points.length; n += 1) {
      const point = points[n] as number;
      if (point < 0) continue;
      this.#halves[2 * length] = halves[2 * n] as number;
      this.#halves[2 * length + 1] = halves[2 * n + 1] as number;
      this.#points[length] = point;
      length += 1;
    }
    this.#length = length;
  }

  /** Of so many points. */
  async count(numberOfPoints: number): Promise<DistinctCounts> {
    const bits = Math.max(0, Math.ceil(Math.log2(this.#length / IDS_OF_A_PART)));
    const { ends, halves, points } = this.#inParts(bits);
    const counted = new PartCounter(Math.max(...partLengths(ends)), bits, numberOfPoints);
    for (let part = 0; part < ends.length; part += 1) {
      counted.add(halves, points, { from: ends[part - 1] ?? 0, to: ends[part] ?? 0 });
      if (part % PARTS_AT_ONCE === PARTS_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    }
    return { total: counted.total, points: counted.points };
  }

  /** In the order of the lowest bits of the ids. */
  #inParts(bits: number) {
    const length = this.#length;
    const lowest = (1 << bits) - 1;
    const next = new Uint32Array(lowest + 2);
    const partOf = (n: number) => (this.#halves[2 * n] as number) & lowest;
    for (let n = 0; n < length; n += 1) next[partOf(n) + 1] = (next[partOf(n) + 1] as number) + 1;
    for (let part = 1; part < next.length; part += 1) next[part] = (next[part] as number) + (next[part - 1] as number);
    const ends = next.slice(1);
    const halves = new Uint32Array(2 * length);
    const points = new Int32Array(length);
    for (let n = 0; n < length; n += 1) {
      const part = partOf(n);
      const at = next[part] as number;
      next[part] = at + 1;
      halves[2 * at] = this.#halves[2 * n] as number;
      halves[2 * at + 1] = this.#halves[2 * n + 1] as number;
      points[at] = this.#points[n] as number;
    }
    return { ends, halves, points };
  }

  #makeRoomFor(more: number): void {
    if (this.#length + more <= this.#points.length) return;
    const room = Math.max(2 * this.#points.length, this.#length + more);
    const [halves, points] = [new Uint32Array(2 * room), new Int32Array(room)];
    halves.set(this.#halves.subarray(0, 2 * this.#length));
    points.set(this.#points.subarray(0, this.#length));
    [this.#halves, this.#points] = [halves, points];
  }
}

/** Two tables of open addresses, used anew for each part: its ids, and its ids at their points. */
class PartCounter {
  total = 0;
  readonly points: Uint32Array;
  readonly #ids: OpenTable;
  readonly #idsAtPoints: OpenTable;
  #part = 0;

  constructor(
    largestPart: number,
    private readonly bits: number,
    numberOfPoints: number,
  ) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * largestPart)));
    this.points = new Uint32Array(numberOfPoints);
    this.#ids = new OpenTable(size);
    this.#idsAtPoints = new OpenTable(size);
  }

  add(halves: Uint32Array, points: Int32Array, { from, to }: { from: number; to: number }): void {
    this.#part += 1;
    for (let n = from; n < to; n += 1) {
      const low = halves[2 * n] as number;
      const high = halves[2 * n + 1] as number;
      const point = points[n] as number;
      const place = (low >>> this.bits) ^ Math.imul(high, 0x9e3779b1);
      if (!this.#idsAtPoints.add(this.#part, place ^ Math.imul(point, 0x85ebca6b), low, high, point)) continue;
      this.points[point] = (this.points[point] as number) + 1;
      if (this.#ids.add(this.#part, place, low, high, 0)) this.total += 1;
    }
  }
}

class OpenTable {
  /** In which part a place was taken last; in any other it is free. */
  readonly #parts: Int32Array;
  readonly #keys: Uint32Array;

  constructor(private readonly size: number) {
    this.#parts = new Int32Array(size);
    this.#keys = new Uint32Array(3 * size);
  }

  /** @returns whether it was not there. At most half of the table is ever taken. */
  add(part: number, place: number, low: number, high: number, point: number): boolean {
    const parts = this.#parts;
    const keys = this.#keys;
    const last = this.size - 1;
    for (let at = place & last; ; at = (at + 1) & last) {
      if (parts[at] !== part) {
        parts[at] = part;
        keys[3 * at] = low;
        keys[3 * at + 1] = high;
        keys[3 * at + 2] = point;
        return true;
      }
      if (keys[3 * at] === low && keys[3 * at + 1] === high && keys[3 * at + 2] === point) return false;
    }
  }
}

function partLengths(ends: Uint32Array): number[] {
  return Array.from(ends, (end, part) => end - (ends[part - 1] ?? 0));
}
