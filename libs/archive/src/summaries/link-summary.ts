import { type Dimension, DIMENSIONS } from '@hopcount/contracts';
import { DAY_MS } from '@hopcount/ledger';

import { dimensionVisitsOf } from '../dimensions.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { quoteList } from '../duckdb/quoting.js';
import type { PeriodSum } from '../read/judge-sums.js';

/** Visits by the values of a dimension (parallel), in the order of the values. */
export interface DimensionSum {
  dimension: Dimension;
  values: string[];
  visits: number[];
}

/** All that a file holds of a link, added up. Nothing in it is about one visitor. */
export interface LinkSummary {
  /** By day (UTC), ascending. */
  days: PeriodSum[];
  dimensions: DimensionSum[];
}

/** Fewer of a link are read as fast, and its summary would be as large as they are. */
export const SUMMARISED_VISITS = 4_000;
/** Values of a link; no more than it has visits, or a few. Else they are most of the file, and of the time to read it. */
const MOST_VALUES = 50_000;
const FEW_VALUES = 100;
/** Of a link's values; each visit has one of each dimension. */
const FEW_ENOUGH = `count(*) <= least(${MOST_VALUES}, greatest(${FEW_VALUES}, sum(visits) / ${DIMENSIONS.length}))`;
/** Of some links at once: as many values at most are in memory, some 30 MB. */
const VISITS_AT_ONCE = 250_000;

/**
 * Of all links with so many visits in a file, in any order. `sums`: a DuckDB relation of what the file holds of each link
 * and bucket.
 */
export async function* summarise(
  session: DuckSession,
  path: string,
  sums: string,
  leastVisits: number,
  visitsAtOnce = VISITS_AT_ONCE,
): AsyncGenerator<[linkId: string, LinkSummary]> {
  const busy = await session.rows<{ link: string; visits: number }>(
    `SELECT link_id::VARCHAR AS link, sum(visits)::DOUBLE AS visits FROM ${sums}
     GROUP BY link_id HAVING sum(visits) >= ${leastVisits} ORDER BY link_id`,
  );
  for (const links of someAtOnce(busy, visitsAtOnce)) yield* await summariesOf(session, path, sums, links);
}

/** Of these links, in any order; one with too many values has none. */
export async function summariesOf(
  session: DuckSession,
  path: string,
  sums: string,
  links: readonly string[],
): Promise<Map<string, LinkSummary>> {
  const ofLinks = `link_id IN (${links.join(', ')})`;
  const visits = `read_parquet(${quoteList([path])}) WHERE ${ofLinks}`;
  const values = await session.rows<DimensionSum & { link: string }>(
    `WITH value AS MATERIALIZED (
       SELECT link_id, dimension, value, sum(visits) AS visits FROM (${dimensionVisitsOf(visits, ['link_id'])}) GROUP BY link_id, dimension, value
     )
     SELECT link_id::VARCHAR AS link, dimension, list(value ORDER BY value) AS values,
       list(visits::DOUBLE ORDER BY value) AS visits
     FROM value
     JOIN (SELECT link_id FROM value GROUP BY link_id HAVING ${FEW_ENOUGH}) USING (link_id)
     GROUP BY link_id, dimension ORDER BY link_id, dimension`,
  );
  const days = await session.rows<PeriodSum & { link: string }>(
    `SELECT link_id::VARCHAR AS link, (bucket // ${DAY_MS} * ${DAY_MS})::DOUBLE AS start, sum(visits)::DOUBLE AS visits,
       bit_xor(checksum)::VARCHAR AS checksum
     FROM ${sums} WHERE ${ofLinks} GROUP BY 1, 2 ORDER BY 2`,
  );
  const summaries = new Map<string, LinkSummary>();
  for (const { link, ...sum } of values) {
    const summary = summaries.get(link) ?? { days: [], dimensions: [] };
    summary.dimensions.push(sum);
    summaries.set(link, summary);
  }
  for (const { link, ...day } of days) summaries.get(link)?.days.push(day);
  return summaries;
}

function* someAtOnce(busy: readonly { link: string; visits: number }[], visitsAtOnce: number): Generator<string[]> {
  let [links, sum]: [string[], number] = [[], 0];
  for (const { link, visits } of busy) {
    links.push(link);
    sum += visits;
    if (sum < visitsAtOnce) continue;
    yield links;
    [links, sum] = [[], 0];
  }
  if (links.length > 0) yield links;
}

/** What several say of the same visits' dimensions together. */
export class DimensionSums {
  readonly #visits = new Map<Dimension, Map<string, number>>();

  add(parts: readonly DimensionSum[]): void {
    for (const { dimension, values, visits } of parts) {
      const sum = this.#visits.get(dimension) ?? new Map<string, number>();
      this.#visits.set(dimension, sum);
      for (let n = 0; n < values.length; n += 1) {
        const value = values[n] as string;
        sum.set(value, (sum.get(value) ?? 0) + (visits[n] as number));
      }
    }
  }

  sums(): DimensionSum[] {
    return [...this.#visits].map(([dimension, sum]) => ({
      dimension,
      values: [...sum.keys()],
      visits: [...sum.values()],
    }));
  }
}
