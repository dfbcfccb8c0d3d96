import type { CountedBy, FoundUniques, GroupedBy, Uniques, ValuePage, VisitFilter, VisitsOf } from '@hopcount/archive';
import type { InstantRange } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { cutBuckets } from '../read/cut-buckets.js';
import type { LookedAt } from './looked-at.js';
import type { PointRun } from './point-runs.js';
import type { ScopeCounts } from './scope-counts.js';
import { readPoints } from './scope-traffic.js';

/** Distinct visitors, and IPs as well: that takes twice as long. IPs alone: of what has no visitors. */
export type AskedUniques = 'none' | 'visitors' | 'ips' | 'all';

/** How visits are counted: all of them looked at, or those of these classes summed of buckets. */
export type CountedFrom =
  | { whole: ScopeCounts }
  | {
      of: VisitsOf;
      tx: Transaction;
      looked: LookedAt;
      classes: readonly number[];
      /** Distinct visitors and IPs of points that nobody has to look at, and all others. */
      known: ReadonlyMap<number, Uniques>;
      runs: readonly PointRun[];
    };

const OF_NOBODY: VisitFilter = { dimension: 'hasVisitor', values: ['false'], prefixes: [], isExcluded: false };

/** One question under one snapshot. */
export class VisitsInSnapshot {
  constructor(
    private readonly query: InstantRange & { filters: readonly VisitFilter[]; uniques: AskedUniques },
    private readonly from: CountedFrom,
  ) {}

  /** Visits by class or point. */
  async visitsBy(by: CountedBy & { by: 'class' | 'point' }): Promise<Map<string, number>> {
    const { from } = this;
    if (this.query.from >= this.query.to) return new Map();
    return 'whole' in from ? from.whole.counts(by, this.query.filters) : this.#inBuckets(by, from);
  }

  /** Visits by class, and what is distinct of them all; undefined: nothing was asked for. */
  async totals(): Promise<{ counts: Map<string, number>; uniques: FoundUniques | undefined }> {
    const { from, to, filters, uniques } = this.query;
    if ('whole' in this.from && uniques !== 'none' && from < to) return this.from.whole.totals(filters, this.#hasIps);
    const counts = await this.visitsBy({ by: 'class' });
    if (uniques === 'none') return { counts, uniques: undefined };
    const visits = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const found = await this.uniquesBy({ by: 'nothing' }, { counts: new Map([['0', visits]]) });
    return { counts, uniques: found.get('0') };
  }

  /**
   * @param more filters beside those of the question
   * @param counts visits by the same keys, of buckets: each is looked at here, and there have to be as many
   */
  async uniquesBy(
    by: CountedBy,
    { more = [], counts }: { more?: readonly VisitFilter[]; counts?: ReadonlyMap<string, number> } = {},
  ): Promise<Map<string, FoundUniques>> {
    const { from } = this;
    const filters = [...this.query.filters, ...more];
    const hasIps = this.#hasIps;
    if ('whole' in from) return from.whole.uniques(by, filters, hasIps);
    const counted = new Map<string, FoundUniques>();
    for (const run of from.runs) {
      const ofRun: CountedBy = by.by === 'point' ? { by: 'point', starts: run.starts } : by;
      const found = await from.looked.visits(run, (visits) => visits.uniques(ofRun, filters, hasIps));
      for (const [nth, start] of run.starts.entries()) {
        const point = run.first + nth;
        if (from.known.has(point)) continue;
        const { visits, ...uniques } = found.get(String(nth)) ?? { visits: 0, visitors: 0, ...(hasIps && { ips: 0 }) };
        counted.set(String(point), uniques);
        if (counts === undefined) continue;
        const range = { from: start, to: run.starts[nth + 1] ?? run.to };
        from.looked.compare({ range, rows: { visits }, buckets: { visits: counts.get(String(point)) ?? 0 } });
      }
    }
    for (const [point, uniques] of from.known)
      counted.set(String(point), hasIps ? uniques : { visitors: uniques.visitors });
    return counted;
  }

  async page(of: GroupedBy, page: ValuePage) {
    if (!('whole' in this.from)) return { rows: [], values: 0, visits: 0 };
    return this.from.whole.page({ by: 'value', of }, this.query.filters, page);
  }

  /** Visits that are the first of their visitor among those counted, all others of visitors, and those of nobody known. */
  async firstSeen(): Promise<{ new: number; returning: number; unknown: number }> {
    const { from, query } = this;
    if (!('whole' in from)) return { new: 0, returning: 0, unknown: 0 };
    const { whole } = from;
    const by = { by: 'nothing' } as const;
    const count = async (more: readonly VisitFilter[]) =>
      (await whole.counts(by, [...query.filters, ...more])).get('0') ?? 0;
    const visits = await count([]);
    const unknown = await count([OF_NOBODY]);
    const visitors = (await whole.uniques(by, query.filters, false)).get('0')?.visitors ?? 0;
    return { new: visitors, returning: visits - unknown - visitors, unknown };
  }

  get #hasIps(): boolean {
    return this.query.uniques === 'all' || this.query.uniques === 'ips';
  }

  /** Whole buckets, and visit by visit where a limit cuts one in two. */
  async #inBuckets(
    by: CountedBy & { by: 'class' | 'point' },
    { tx, of, looked, classes }: Exclude<CountedFrom, { whole: unknown }>,
  ): Promise<Map<string, number>> {
    const starts = by.by === 'point' ? by.starts : [this.query.from];
    const { buckets, ranges } = cutBuckets(this.query, starts);
    const counts = new Map<string, number>();
    const add = (key: number, visits: number) => counts.set(String(key), (counts.get(String(key)) ?? 0) + visits);
    const points = await readPoints(tx, of, { ...this.query, starts, classes, except: buckets });
    for (const { point, class: visitClass, visits } of points) add(by.by === 'point' ? point : visitClass, visits);
    for (const range of ranges) {
      const edge = await looked.visits(range, (found) => found.counts(by, this.query.filters));
      for (const [key, visits] of edge) add(Number(key), visits);
    }
    return counts;
  }
}
