import { quote } from '../duckdb/quoting.js';

/** Where PostgreSQL and DuckDB say the same in different words. */
export interface Dialect {
  /** Any text as a literal. */
  text(value: string): string;
  /** A UTM parameter of a visit; null: none. */
  utm(name: string): string;
  /** The visitor's address as text; null: none was kept. */
  readonly ip: string;
  /** `occurred_at` as epoch milliseconds. */
  readonly atMs: string;
}

export const DUCKDB: Dialect = {
  text: quote,
  utm: (name) => `json_extract_string(utm, '$.${name}')`,
  ip: 'client_ip',
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
  atMs: '(extract(epoch FROM occurred_at) * 1000)::bigint',
};
