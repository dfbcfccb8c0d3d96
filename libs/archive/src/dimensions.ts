import { type Dimension, DIMENSIONS, UNKNOWN, VISIT_CLASSES } from '@hopcount/contracts';

/** The column of each dimension. Names of places are not unique: they are told apart by their country. */
const COLUMNS: Record<Dimension, string> = {
  country: 'country',
  region: 'region',
  city: 'city',
  os: 'os',
  browser: 'browser',
  device: 'device',
  network: 'network',
  referrer: 'referrer_host',
  language: 'language',
};
const IN_A_COUNTRY: readonly Dimension[] = ['region', 'city'];
/** A place's set groups by country, too, so whether it is one has to be asked first. */
const PLACES_FIRST = [...IN_A_COUNTRY, ...DIMENSIONS.filter((dimension) => !IN_A_COUNTRY.includes(dimension))];

/** A count for each class, named as the columns of ledger_dimensions(). */
const BY_CLASS = VISIT_CLASSES.map((name, number) => ({
  name: name.replaceAll('-', '_'),
  count: `count(*) FILTER (class = ${number})`,
}));

/**
 * A DuckDB SELECT of dimension, value and visits by class (human, bot, preview, prefetch, opted_out) of a relation with
 * the ledger's columns, which it reads once: what ledger_dimensions() says of the same rows. `by`: columns of the
 * relation to keep apart.
 */
export function dimensionsOf(visits: string, by: readonly string[] = []): string {
  const counts = BY_CLASS.map(({ name, count }) => `${count} AS ${name}`).join(', ');
  const sums = BY_CLASS.map(({ name }) => `sum(${name})::BIGINT AS ${name}`).join(', ');
  const keys = by.map((column) => `${column}, `).join('');
  return `SELECT ${keys}dimension, value, ${sums} FROM (${groupDimensions(visits, by, counts)}) GROUP BY ${keys}dimension, value`;
}

/** As above, dimension, value and visits; a value may come in several rows. */
export function dimensionVisitsOf(visits: string, by: readonly string[] = []): string {
  return groupDimensions(visits, by, 'count(*) AS visits');
}

/**
 * DuckDB's sums of a hash of each visit's value, one for each dimension and named like it: adding up hashes takes a fifth of the
 * time of adding up by value.
 */
export function dimensionHashes(): string {
  return DIMENSIONS.map((name) => `sum(${hashOf(name)})::VARCHAR AS ${name}`).join(', ');
}

/** The same sum of rows of value and visits; `value` and `country` are what `placeOf` says. */
export const HASH_OF_VALUES =
  'sum((CASE WHEN country IS NULL THEN hash(value) ELSE hash(value, country) END)::HUGEINT * visits)';

/** A value's place and country, which only places of a known country have: names that contain a comma may be cut wrongly. */
export function placeOf(dimension: Dimension, value: string): [value: string, country: string | null] {
  const comma = IN_A_COUNTRY.includes(dimension) ? value.lastIndexOf(', ') : -1;
  return comma < 0 ? [value, null] : [value.slice(0, comma), value.slice(comma + 2)];
}

function hashOf(dimension: Dimension): string {
  const column = COLUMNS[dimension];
  return IN_A_COUNTRY.includes(dimension)
    ? `CASE WHEN ${hasNoCountry(column)} THEN hash(${column}) ELSE hash(${column}, country) END`
    : `hash(${column})`;
}

/** Groups by columns as they are, which DuckDB does by their dictionaries, and names values afterwards. */
function groupDimensions(visits: string, by: readonly string[], counts: string): string {
  const keys = by.map((column) => `${column}, `).join('');
  const choose = (of: (dimension: Dimension) => string) =>
    `CASE ${PLACES_FIRST.map((name) => `WHEN grouping(${COLUMNS[name]}) = 0 THEN ${of(name)}`).join(' ')} END`;
  const sets = DIMENSIONS.map((name) => `(${keys}${COLUMNS[name]}${IN_A_COUNTRY.includes(name) ? ', country' : ''})`);
  return `SELECT ${keys}${choose((name) => `'${name}'`)} AS dimension, ${choose(valueOf)} AS value, ${counts}
    FROM ${visits} GROUP BY GROUPING SETS (${sets.join(', ')})`;
}

/** An unknown place is the same everywhere. */
function valueOf(dimension: Dimension): string {
  const column = COLUMNS[dimension];
  if (!IN_A_COUNTRY.includes(dimension)) return column;
  return `CASE WHEN ${hasNoCountry(column)} THEN ${column} ELSE ${column} || ', ' || country END`;
}

function hasNoCountry(place: string): string {
  return `${place} = '${UNKNOWN}' OR country = '${UNKNOWN}'`;
}
