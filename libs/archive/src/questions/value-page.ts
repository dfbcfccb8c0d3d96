/** Which rows of a value are wanted: `offset` to `offset + limit` in the order. */
export interface ValuePage {
  order: 'visits' | 'value';
  isAscending: boolean;
  offset: number;
  limit: number;
}

export interface ValueRow {
  value: string;
  visits: number;
}

export interface ValueRows {
  rows: ValueRow[];
  /** Of all values together. */
  values: number;
  visits: number;
}

export interface PagedRow {
  place: number;
  value: string | null;
  visits: number | null;
  values: number;
}

/**
 * The page's rows and, at place 0, all values together; in PostgreSQL and DuckDB. Only the page's rows are numbered: with
 * LIMIT no more of them than those are kept sorted, of however many values.
 */
export function pageOf(counts: string, { order, isAscending, offset, limit }: ValuePage, number: string): string {
  const direction = isAscending ? 'ASC' : 'DESC';
  const by = (value: string) => (order === 'visits' ? `visits ${direction}, ${value}` : `${value} ${direction}`);
  const text = 'CAST(key AS VARCHAR)';
  return `WITH counted AS MATERIALIZED (SELECT key, sum(visits) AS visits FROM (${counts}) AS part GROUP BY key)
    SELECT CAST(row_number() OVER (ORDER BY ${by('value')}) AS ${number}) AS place, value, CAST(visits AS ${number}) AS visits,
      CAST(0 AS ${number}) AS "values"
    FROM (SELECT ${text} AS value, visits FROM counted ORDER BY ${by(text)} LIMIT ${limit} OFFSET ${offset}) AS page
    UNION ALL
    SELECT CAST(0 AS ${number}), NULL, CAST(sum(visits) AS ${number}), CAST(count(*) AS ${number}) FROM counted`;
}

export function toValueRows(rows: readonly PagedRow[]): ValueRows {
  const all = rows.find(({ place }) => place === 0);
  const paged = rows.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
  return {
    rows: paged.map(({ value, visits }) => ({ value: value ?? '', visits: visits ?? 0 })),
    values: all?.values ?? 0,
    visits: all?.visits ?? 0,
  };
}
