import { BUCKET_MS, bucketOf, type InstantRange, isBucketStart } from '@hopcount/ledger';

/**
 * How DuckDB says where in a series a visit lies: by its bucket's number, which is a division. Points begin with buckets, but in
 * zones of before 1972 and where the range itself does not: then by its point.
 */
export class SeriesPlaces {
  readonly numberOfPoints: number;
  readonly #firstBucket: number;
  /** Of each bucket of the range, then of each point. undefined: places are points. */
  readonly #points: Int32Array | undefined;

  constructor(
    range: InstantRange,
    /** Ascending. */
    private readonly starts: readonly number[],
  ) {
    this.numberOfPoints = starts.length;
    this.#firstBucket = bucketOf(range.from) / BUCKET_MS;
    if (!starts.slice(1).every(isBucketStart)) return;
    const buckets = Math.ceil(range.to / BUCKET_MS) - this.#firstBucket;
    this.#points = new Int32Array(buckets + starts.length);
    for (let [n, point] = [0, 0]; n < buckets; n += 1) {
      while ((starts[point + 1] ?? Infinity) <= (this.#firstBucket + n) * BUCKET_MS) point += 1;
      this.#points[n] = point;
    }
    for (let point = 0; point < starts.length; point += 1) this.#points[buckets + point] = point;
  }

  /** DuckDB: place, visitor and ip of a relation with `at_ms`. */
  ofVisits(relation: string): string {
    if (this.#points !== undefined) {
      return `SELECT (at_ms // ${BUCKET_MS} - ${this.#firstBucket})::INTEGER AS place, visitor, ip FROM ${relation}`;
    }
    return `SELECT point AS place, visitor, ip FROM ${relation} ASOF JOIN (${selectPoints(this.starts)}) ON at_ms >= start`;
  }

  /** DuckDB: the same of a relation with `point`. */
  ofPoints(relation: string): string {
    const before = this.#points === undefined ? 0 : this.#points.length - this.numberOfPoints;
    return `SELECT (point + ${before})::INTEGER AS place, visitor, ip FROM ${relation}`;
  }

  /** @returns a new array */
  toPoints(places: Int32Array): Int32Array {
    const points = this.#points;
    return points === undefined ? places.slice() : places.map((place) => points[place] as number);
  }
}

/** DuckDB: each point (0-based) and its start. */
export function selectPoints(starts: readonly number[]): string {
  return `SELECT unnest(range(${starts.length}))::INTEGER AS point, unnest([${starts.join(', ')}]::BIGINT[]) AS start`;
}
