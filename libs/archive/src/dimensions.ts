import { type Dimension, DIMENSIONS, UNKNOWN, VISIT_CLASSES } from '@hopcount/contracts';

/** The value of each dimension, of a row of a file: what ledger_dimensions() says of a row of the ledger. */
const VALUES: Record<Dimension, string> = {
  country: 'country',
  region: inItsCountry('region'),
  city: inItsCountry('city'),
  os: 'os',
  browser: 'browser',
  device: 'device',
  network: 'network',
  referrer: 'referrer_host',
  language: 'language',
};

/** A count for each class, named as the columns of ledger_dimensions(). */
const COUNTS = VISIT_CLASSES.map(
  (name, number) => `count(*) FILTER (class = ${number}) AS ${name.replaceAll('-', '_')}`,
).join(', ');

/**
 * A DuckDB SELECT of dimension, value and visits by class (human, bot, preview, prefetch, opted_out) of a relation with
 * the ledger's columns, which it reads once. `by`: columns of the relation to keep apart.
 */
export function dimensionsOf(visits: string, by: readonly string[] = []): string {
  const keys = by.map((column) => `${column}, `).join('');
  const values = DIMENSIONS.map((dimension) => `${VALUES[dimension]} AS of_${dimension}`).join(', ');
  const names = DIMENSIONS.map((dimension) => `WHEN grouping(of_${dimension}) = 0 THEN '${dimension}'`).join(' ');
  return `SELECT ${keys}CASE ${names} END AS dimension,
      coalesce(${DIMENSIONS.map((dimension) => `of_${dimension}`).join(', ')}) AS value, ${COUNTS}
    FROM (SELECT ${keys}class, ${values} FROM ${visits})
    GROUP BY GROUPING SETS (${DIMENSIONS.map((dimension) => `(${keys}of_${dimension})`).join(', ')})`;
}

/** Names of places are not unique; an unknown one is the same everywhere. */
function inItsCountry(place: 'region' | 'city'): string {
  return `CASE WHEN ${place} = '${UNKNOWN}' OR country = '${UNKNOWN}' THEN ${place} ELSE ${place} || ', ' || country END`;
}
