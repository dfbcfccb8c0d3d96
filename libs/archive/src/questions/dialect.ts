import { quote } from '../duckdb/quoting.js';

/** Where PostgreSQL and DuckDB say the same in different words. */
export interface Dialect {
  /** Any text as a literal. */
  text(value: string): string;
  /** A UTM parameter of a visit; null: none. */
  utm(name: string): string;
  /** The visitor's address as text; null: none was kept. */
  readonly ip: string;
  /** The name a host counts by, from the column that has it: as host_name() of PostgreSQL. */
  readonly hostName: (column: string) => string;
  /** `occurred_at` as epoch milliseconds. */
  readonly atMs: string;
}

export const DUCKDB: Dialect = {
  text: quote,
  utm: (name) => `json_extract_string(utm, '$.${name}')`,
  ip: 'client_ip',
  hostName: (host) => `CASE
    WHEN ${host} IS NULL OR ${host} = '' OR contains(${host}, '~') THEN '~unknown'
    WHEN starts_with(${host}, 'android-app://') THEN '~app.' || replace(substr(${host}, 15), '.', '-')
    WHEN starts_with(${host}, '[') THEN '~ip.' || substr(${host}, 2, greatest(length(${host}) - 2, 0))
    WHEN regexp_full_match(${host}, '[0-9.]+') THEN '~ip.' || replace(${host}, '.', '-')
    ELSE array_to_string(list_slice(list_reverse(string_split(${host}, '.')), 1, 8), '.') END`,
  atMs: 'epoch_ms(occurred_at)',
};

/**
 * COPY takes no parameters, so texts stand in the statement: in hexadecimal digits, which mean the same under any setting.
 * As constants, or each of them would be made anew for each row.
 */
export const POSTGRES: Dialect = {
  text: (value) => `E'${Buffer.from(value).toString('hex').replaceAll(/../g, '\\x$&')}'::text COLLATE "C"`,
  utm: (name) => `(utm ->> '${name}') COLLATE "C"`,
  ip: 'host(client_ip)',
  hostName: (host) => `host_name(${host}) COLLATE "C"`,
  atMs: '(extract(epoch FROM occurred_at) * 1000)::bigint',
};
