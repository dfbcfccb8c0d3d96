import { VISIT_CLASSES } from '@hopcount/contracts';

import { dimensionsOf } from '../dimensions.js';
import { quote } from '../duckdb/quoting.js';

export interface DayLimits {
  /** Visits of a day from which a link has aggregates of its own. */
  linkVisits: number;
  /** Links of a day that have them, at most: the most visited ones. */
  links: number;
  /** Values of a dimension that are told apart: of a link, and of all links, a domain or a group. */
  linkValues: number;
  scopeValues: number;
}

const CLASS = `CASE WHEN grouping(class) = 1 THEN 'all' ${VISIT_CLASSES.map(
  (name, number) => `WHEN class = ${number} THEN ${quote(name)}`,
).join(' ')} END`;

/** Columns of the files that aggregates are made of, by which a day is in memory only as far as it has to be. */
const COLUMNS = `link_id, coalesce(group_id, '') AS group_id, class, visitor, ip, checksum, country, region, city, os, browser,
  device, network, referrer_host, language`;

/** DuckDB: the day's visits with the domain of their link, from those of the files; `day_domains` says which it is. */
export function selectDay(visits: string): string {
  return `SELECT visit.*, coalesce(domain_id::VARCHAR, '') AS domain_id
    FROM (SELECT ${COLUMNS} FROM (${visits})) AS visit LEFT JOIN day_domains USING (link_id)`;
}

export function selectLinks({ linkVisits, links }: DayLimits): string {
  return `SELECT link_id FROM day_visits GROUP BY link_id HAVING count(*) >= ${linkVisits}
    ORDER BY count(*) DESC, link_id LIMIT ${links}`;
}

/** DuckDB: scope, scope_id, class, visits, checksum, visitors and ips of the day, exact; one SELECT for each scope. */
export function selectAggregates(): string[] {
  return ofScopes(
    (scope, visits) => `SELECT ${quote(scope)} AS scope, scope_id, ${CLASS} AS class, count(*) AS visits,
      bit_xor(checksum) AS checksum, count(DISTINCT visitor) AS visitors, count(DISTINCT ip) AS ips
    FROM ${visits} GROUP BY GROUPING SETS ((scope_id, class), (scope_id))`,
  );
}

/** DuckDB: the day's values of each dimension, all but the most frequent ones in one row of place 0; as above. */
export function selectDimensions({ linkValues, scopeValues }: DayLimits): string[] {
  const counts = ['human', 'bot', 'preview', 'prefetch', 'opted_out'];
  const sums = counts.map((name) => `sum(${name})::BIGINT AS ${name}`).join(', ');
  return ofScopes((scope, visits) => {
    const kept = scope === 'link' ? linkValues : scopeValues;
    const placed = `SELECT *, row_number() OVER (
      PARTITION BY scope_id, dimension ORDER BY ${counts.join(' + ')} DESC, value) AS place
      FROM (${dimensionsOf(visits, ['scope_id'])})`;
    return `SELECT ${quote(scope)} AS scope, scope_id, dimension, if(place <= ${kept}, place, 0) AS kept_place,
      if(place <= ${kept}, value, NULL) AS kept_value, count(*) AS "values", ${sums}
    FROM (${placed}) GROUP BY scope_id, dimension, kept_place, kept_value`;
  });
}

function ofScopes(select: (scope: string, visits: string) => string): string[] {
  const scopes = [
    ['all', `(SELECT '' AS scope_id, * FROM day_visits)`],
    ['domain', '(SELECT domain_id AS scope_id, * FROM day_visits)'],
    ['group', '(SELECT group_id AS scope_id, * FROM day_visits)'],
    ['link', '(SELECT link_id::VARCHAR AS scope_id, * FROM day_visits SEMI JOIN day_links USING (link_id))'],
  ] as const;
  return scopes.map(([scope, visits]) => select(scope, visits));
}
