import type {
  ArchiveReader,
  CountedBy,
  FoundUniques,
  GroupedBy,
  ScopeSources,
  Uniques,
  ValuePage,
  VisitFilter,
  VisitsQuestion,
} from '@hopcount/archive';
import { HOUR_MS, type InstantRange } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { cutBuckets } from '../read/cut-buckets.js';
import { ScopeCounts } from './scope-counts.js';
import { classesThrough, readPoints } from './scope-traffic.js';

/** Distinct visitors, and IPs as well: that takes twice as long. */
export type AskedUniques = 'none' | 'visitors' | 'all';

/** Distinct visitors and IPs of points that nobody has to look at, and the range of all others; undefined: there are none. */
export interface KnownUniques {
  uniques: ReadonlyMap<number, Uniques>;
  left: InstantRange | undefined;
}

/** One question under one snapshot; `sources` are those of the range that is left to look at. */
export class VisitsInSnapshot {
  readonly #counts: ScopeCounts;
  /** Where a limit of the range cuts a bucket, its visits may be known to nobody. */
  readonly #unknown: InstantRange[];

  constructor(
    private readonly tx: Transaction,
    private readonly archive: Pick<ArchiveReader, 'visits'>,
    private readonly query: VisitsQuestion & {
      filters: readonly VisitFilter[];
      known: KnownUniques;
      uniques: AskedUniques;
    },
    private readonly sources: ScopeSources,
  ) {
    this.#counts = new ScopeCounts(tx, query.of, sources);
    this.#unknown = [...sources.unknown];
  }

  get state() {
    const { files, fromLedger } = this.sources;
    const ledgerMs = fromLedger.reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      unknown: this.#unknown,
      readFrom: {
        days: this.query.known.uniques.size,
        files: files?.number ?? 0,
        ledgerHours: Math.ceil(ledgerMs / HOUR_MS),
      },
    };
  }

  /** Visits by class or point. */
  async visitsBy(by: CountedBy & { by: 'class' | 'point' }): Promise<Map<string, number>> {
    const { filters, from, to } = this.query;
    if (from >= to) return new Map();
    const classes = classesThrough(filters);
    return classes === undefined ? this.#counts.counts(by, filters) : this.#inBuckets(by, classes);
  }

  /** @param more filters beside those of the question */
  async uniquesBy(by: CountedBy, more: readonly VisitFilter[] = []): Promise<Map<string, FoundUniques>> {
    const { known, filters } = this.query;
    const hasIps = this.query.uniques === 'all';
    const counted =
      known.left === undefined
        ? new Map<string, FoundUniques>()
        : await this.#counts.uniques(by, [...filters, ...more], hasIps);
    for (const [point, uniques] of known.uniques)
      counted.set(String(point), hasIps ? uniques : { visitors: uniques.visitors });
    return counted;
  }

  async page(of: GroupedBy, page: ValuePage) {
    if (this.query.from >= this.query.to) return { rows: [], values: 0, visits: 0 };
    return this.#counts.page({ by: 'value', of }, this.query.filters, page);
  }

  /** Whole buckets, and visit by visit where a limit cuts one in two. */
  async #inBuckets(
    by: CountedBy & { by: 'class' | 'point' },
    classes: readonly number[],
  ): Promise<Map<string, number>> {
    const starts = by.by === 'point' ? by.starts : [this.query.from];
    const { buckets, ranges } = cutBuckets(this.query, starts);
    const counts = new Map<string, number>();
    const add = (key: number, visits: number) => counts.set(String(key), (counts.get(String(key)) ?? 0) + visits);
    const points = await readPoints(this.tx, this.query.of, { ...this.query, starts, classes, except: buckets });
    for (const { point, class: visitClass, visits } of points) add(by.by === 'point' ? point : visitClass, visits);
    for (const range of ranges) {
      for (const [key, visits] of await this.#countEdge(range, by)) add(Number(key), visits);
    }
    return counts;
  }

  async #countEdge(range: InstantRange, by: CountedBy): Promise<Map<string, number>> {
    const { of, filters } = this.query;
    return this.archive.visits(this.tx, { of, ...range }, async (sources) => {
      const known = this.#unknown.some(({ from, to }) => from <= range.from && to >= range.to);
      if (!known) this.#unknown.push(...sources.unknown);
      return new ScopeCounts(this.tx, of, sources).counts(by, filters);
    });
  }
}
