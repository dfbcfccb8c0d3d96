import { readFileSync } from 'node:fs';

/** Of statements that connections keep prepared, by their text. */
const names = new Map<string, string>();

/** Text of the `.sql` file beside its only caller: `loadSql(import.meta.url, 'sql/insert-visits.sql')`. */
export function loadSql(callerUrl: string, relativePath: string): string {
  return readFileSync(new URL(relativePath, callerUrl), 'utf8');
}

/**
 * As loadSql(), of a statement that is asked so often that each connection prepares it once: PostgreSQL takes longer to parse and
 * plan a short one than to run it. From the sixth time on it may run by a plan for any values: not for statements whose best
 * plan depends on them.
 */
export function loadPreparedSql(callerUrl: string, relativePath: string): string {
  return prepared(relativePath.slice(relativePath.lastIndexOf('/') + 1), loadSql(callerUrl, relativePath));
}

/** The same of a text. @param name says in pg_prepared_statements what it is */
export function prepared(name: string, text: string): string {
  if (!names.has(text)) names.set(text, `${name} ${names.size}`);
  return text;
}

/** What a connection keeps it prepared as; undefined: it does not. */
export function preparedName(text: string): string | undefined {
  return names.get(text);
}
