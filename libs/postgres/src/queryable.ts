export interface Queryable {
  /** Rows of one statement; bigint columns come as text, timestamptz as Date. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Rows and the number of rows the statement touched. */
  execute<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<{ rows: Row[]; affected: number }>;
}
