interface ArchiveColumn {
  name: string;
  /** DuckDB's type, and so Parquet's. */
  type: 'TIMESTAMPTZ' | 'UUID' | 'BIGINT' | 'SMALLINT' | 'FLOAT' | 'VARCHAR';
  /** How PostgreSQL hands it out, where its own text is not what the file shall hold. */
  from?: string;
  /** How DuckDB hands it back, where the file's text is not what PostgreSQL reads. */
  back?: string;
}

/**
 * A JSON array of texts and PostgreSQL's of the same are written alike but for the brackets, as long as nothing is
 * escaped. With an escape it stays JSON, and PostgreSQL refuses it: names of fields have none.
 */
const ARRAY_OF_JSON = `CASE WHEN contains(truncated, '\\') THEN truncated
  ELSE '{' || substr(truncated, 2, length(truncated) - 2) || '}' END`;

/**
 * Every column of the ledger, in its order: a row of a file is the ledger's row and can become it again. Addresses
 * are texts, UTM parameters and names of truncated fields JSON.
 */
export const VISIT_COLUMNS: readonly ArchiveColumn[] = [
  { name: 'occurred_at', type: 'TIMESTAMPTZ' },
  { name: 'event_id', type: 'UUID' },
  { name: 'link_id', type: 'BIGINT' },
  { name: 'visitor', type: 'BIGINT' },
  { name: 'ip', type: 'BIGINT' },
  { name: 'class', type: 'SMALLINT' },
  { name: 'enrichment_version', type: 'SMALLINT' },
  { name: 'latitude', type: 'FLOAT' },
  { name: 'longitude', type: 'FLOAT' },
  { name: 'client_ip', type: 'VARCHAR' },
  { name: 'group_id', type: 'VARCHAR' },
  { name: 'country', type: 'VARCHAR' },
  { name: 'region', type: 'VARCHAR' },
  { name: 'city', type: 'VARCHAR' },
  { name: 'os', type: 'VARCHAR' },
  { name: 'os_version', type: 'VARCHAR' },
  { name: 'browser', type: 'VARCHAR' },
  { name: 'browser_version', type: 'VARCHAR' },
  { name: 'device', type: 'VARCHAR' },
  { name: 'network', type: 'VARCHAR' },
  { name: 'referrer_host', type: 'VARCHAR' },
  { name: 'language', type: 'VARCHAR' },
  { name: 'referrer', type: 'VARCHAR' },
  { name: 'user_agent', type: 'VARCHAR' },
  { name: 'destination', type: 'VARCHAR' },
  { name: 'utm', type: 'VARCHAR' },
  { name: 'truncated', type: 'VARCHAR', from: 'array_to_json(truncated)', back: ARRAY_OF_JSON },
  { name: 'source', type: 'VARCHAR' },
  { name: 'route', type: 'VARCHAR' },
  { name: 'imported_from', type: 'VARCHAR' },
  { name: 'channel', type: 'VARCHAR' },
  { name: 'class_reason', type: 'SMALLINT' },
  { name: 'target_host', type: 'VARCHAR' },
  { name: 'short_host', type: 'VARCHAR' },
];

export const COLUMN_NAMES = VISIT_COLUMNS.map(({ name }) => name).join(', ');

/** What PostgreSQL selects of the ledger. */
export const LEDGER_SELECTION = VISIT_COLUMNS.map(({ name, from }) => from ?? name).join(', ');

/** What DuckDB selects of a file for the ledger. */
export const FILE_SELECTION = VISIT_COLUMNS.map(({ name, back }) => back ?? name).join(', ');

/** DuckDB: the 62 random bits of an event id. */
export const CHECKSUM = '((event_id::BLOB)[9:16]::BIT::UBIGINT & 4611686018427387903)::BIGINT';

/** What DuckDB adds to each row: its bucket (epoch milliseconds) and its checksum. */
export const DERIVED_COLUMNS = `
  (epoch_ms(occurred_at) // 900000 * 900000) AS bucket, ${CHECKSUM} AS checksum`;
