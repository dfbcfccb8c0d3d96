import { readFileSync } from 'node:fs';

/** Text of the `.sql` file beside its only caller: `loadSql(import.meta.url, 'sql/insert-visits.sql')`. */
export function loadSql(callerUrl: string, relativePath: string): string {
  return readFileSync(new URL(relativePath, callerUrl), 'utf8');
}
