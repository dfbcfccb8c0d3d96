import {
  checksumText,
  DIMENSIONS,
  type Dimension,
  eventIdChecksum,
  UNKNOWN,
  visitClassNumber,
} from '@hopcount/contracts';

import { HOUR_MS, hourOf, toIso } from '../buckets.js';
import type { EnrichedVisit } from './enriched-visit.js';

/** What a batch adds to an hour of a hot link, as insert-fold-deltas.sql reads it. */
export interface HourDelta {
  link_id: string;
  hour: string;
  visits: number;
  checksum: string;
  visitors: string[];
  ips: string[];
  /** Parallel: dimension, value, and its visits by class. */
  dimensions: Dimension[];
  dimension_values: string[];
  human: number[];
  bot: number[];
  preview: number[];
  prefetch: number[];
  opted_out: number[];
}

type CountsByClass = [number, number, number, number, number];

/**
 * The aggregates of a batch's visits of hot links, hour by hour; `foldedFrom` says from which hour on each
 * link is folded. Values are those of ledger_dimensions(): the two are held against each other by test,
 * and by `hopcount verify` for every fold.
 */
export function foldHours(
  visits: readonly EnrichedVisit[],
  foldedFrom: (linkId: string) => number | undefined,
): HourDelta[] {
  const hours = new Map<string, HourSum>();
  for (const visit of visits) {
    const from = foldedFrom(visit.linkId);
    if (from === undefined || visit.occurredAtMs < from) continue;
    const hour = hourOf(visit.occurredAtMs);
    const key = `${visit.linkId} ${hour / HOUR_MS}`;
    let sum = hours.get(key);
    if (sum === undefined) hours.set(key, (sum = new HourSum(visit.linkId, hour)));
    sum.add(visit);
  }
  return [...hours.values()].map((sum) => sum.toDelta());
}

class HourSum {
  #visits = 0;
  #hi = 0;
  #lo = 0;
  readonly #visitors = new Set<string>();
  readonly #ips = new Set<string>();
  readonly #values = DIMENSIONS.map((dimension) => ({ dimension, values: new Map<string, CountsByClass>() }));

  constructor(
    private readonly linkId: string,
    private readonly hour: number,
  ) {}

  add(visit: EnrichedVisit): void {
    const { hi, lo } = eventIdChecksum(visit.eventId);
    this.#visits += 1;
    this.#hi ^= hi;
    this.#lo ^= lo;
    if (visit.visitor !== null) this.#visitors.add(visit.visitor);
    if (visit.ip !== null) this.#ips.add(visit.ip);
    const classNumber = visitClassNumber(visit.class);
    for (const { dimension, values } of this.#values) {
      const value = valueOf(visit, dimension);
      let counts = values.get(value);
      if (counts === undefined) values.set(value, (counts = [0, 0, 0, 0, 0]));
      counts[classNumber] = (counts[classNumber] ?? 0) + 1;
    }
  }

  toDelta(): HourDelta {
    const rows = this.#values.flatMap(({ dimension, values }) =>
      [...values].map(([value, counts]) => ({ dimension, value, counts })),
    );
    return {
      link_id: this.linkId,
      hour: toIso(this.hour),
      visits: this.#visits,
      checksum: checksumText(this.#hi, this.#lo),
      visitors: [...this.#visitors],
      ips: [...this.#ips],
      dimensions: rows.map((row) => row.dimension),
      // As UTF-8 holds it: the ledger's text went that way too, and JSON would keep a lone surrogate.
      dimension_values: rows.map((row) => Buffer.from(row.value).toString()),
      human: rows.map((row) => row.counts[0]),
      bot: rows.map((row) => row.counts[1]),
      preview: rows.map((row) => row.counts[2]),
      prefetch: rows.map((row) => row.counts[3]),
      opted_out: rows.map((row) => row.counts[4]),
    };
  }
}

function valueOf(visit: EnrichedVisit, dimension: Dimension): string {
  if (dimension === 'referrer') return visit.referrerHost;
  const value = visit[dimension];
  const isPlace = dimension === 'region' || dimension === 'city';
  return isPlace && value !== UNKNOWN && visit.country !== UNKNOWN ? `${value}, ${visit.country}` : value;
}
