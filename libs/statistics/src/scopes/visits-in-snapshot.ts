import type {
  CountedBy,
  FoundUniques,
  GroupedBy,
  Uniques,
  ValuePage,
  VisitFilter,
  VisitsQuestion,
} from '@hopcount/archive';
import type { Transaction } from '@hopcount/postgres';

import { cutBuckets } from '../read/cut-buckets.js';
import type { LookedAt } from './looked-at.js';
import type { PointRun } from './point-runs.js';
import type { ScopeCounts } from './scope-counts.js';
import { readPoints } from './scope-traffic.js';

/** Distinct visitors, and IPs as well: that takes twice as long. */
export type AskedUniques = 'none' | 'visitors' | 'all';

/** How visits are counted: all of them looked at, or those of these classes summed of buckets. */
export type CountedFrom =
  | { whole: ScopeCounts }
  | {
      classes: readonly number[];
      /** Distinct visitors and IPs of points that nobody has to look at, and all others. */
      known: ReadonlyMap<number, Uniques>;
      runs: readonly PointRun[];
    };

/** One question under one snapshot. */
export class VisitsInSnapshot {
  constructor(
    private readonly tx: Transaction,
    private readonly query: VisitsQuestion & { filters: readonly VisitFilter[]; uniques: AskedUniques },
    private readonly looked: LookedAt,
    private readonly from: CountedFrom,
  ) {}

  /** Visits by class or point. */
  async visitsBy(by: CountedBy & { by: 'class' | 'point' }): Promise<Map<string, number>> {
    const { from } = this;
    if (this.query.from >= this.query.to) return new Map();
    return 'whole' in from ? from.whole.counts(by, this.query.filters) : this.#inBuckets(by, from.classes);
  }

  /** @param more filters beside those of the question */
  async uniquesBy(by: CountedBy, more: readonly VisitFilter[] = []): Promise<Map<string, FoundUniques>> {
    const { from } = this;
    const filters = [...this.query.filters, ...more];
    const hasIps = this.query.uniques === 'all';
    if ('whole' in from) return from.whole.uniques(by, filters, hasIps);
    const counted = new Map<string, FoundUniques>();
    for (const run of from.runs) {
      const ofRun: CountedBy = by.by === 'point' ? { by: 'point', starts: run.starts } : by;
      const found = await this.looked.visits(run, (counts) => counts.uniques(ofRun, filters, hasIps));
      for (const [key, uniques] of found) counted.set(String(Number(key) + run.first), uniques);
    }
    for (const [point, uniques] of from.known)
      counted.set(String(point), hasIps ? uniques : { visitors: uniques.visitors });
    return counted;
  }

  async page(of: GroupedBy, page: ValuePage) {
    if (!('whole' in this.from)) return { rows: [], values: 0, visits: 0 };
    return this.from.whole.page({ by: 'value', of }, this.query.filters, page);
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
      const edge = await this.looked.visits(range, (found) => found.counts(by, this.query.filters));
      for (const [key, visits] of edge) add(Number(key), visits);
    }
    return counts;
  }
}
