/** Content types of rows as a file, by the names of their formats. */
export const FILE_TYPES = {
  csv: 'text/csv',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;
export type FileFormat = keyof typeof FILE_TYPES;

/** As the header of an answer has it. */
export function sentType(format: FileFormat): string {
  return format === 'csv' ? `${FILE_TYPES.csv}; charset=utf-8` : FILE_TYPES[format];
}
