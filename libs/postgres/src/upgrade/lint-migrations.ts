import { findBlocking, type Rule } from './blocking-statements.js';
import type { MigrationFile } from './migration-files.js';

/** They have run everywhere and are never edited, whatever they hold. */
export const RELEASED_UP_TO = 64;

/** Where a rule does not hold of a migration (its file, the rule), and why. What no longer applies is a finding. */
export type Exceptions = Readonly<Record<string, Partial<Record<Rule, string>>>>;
export const EXCEPTIONS: Exceptions = {
  '0082-made-up-passwords': {
    'reads-big-table':
      'Of the audit log it reads the entries of each account, of which there are few, by the index of their names.',
  },
};

/** What migrations after RELEASED_UP_TO may not hold, a line each; nothing: empty. */
export async function lintMigrations(files: MigrationFile[], exceptions: Exceptions = EXCEPTIONS): Promise<string[]> {
  const findings: string[] = [];
  const unused = new Set(
    Object.entries(exceptions).flatMap(([file, rules]) => Object.keys(rules).map((rule) => `${file} ${rule}`)),
  );
  for (const [index, { number, file, sql }] of files.entries()) {
    if (number <= RELEASED_UP_TO) continue;
    const earlier = files.slice(0, index).map((one) => one.sql);
    for (const { rule, line, text } of await findBlocking(sql, earlier)) {
      const isExcepted = exceptions[file]?.[rule] !== undefined;
      unused.delete(`${file} ${rule}`);
      if (!isExcepted) findings.push(`${file}.up.sql:${line} ${rule}: ${text}`);
    }
  }
  return [...findings, ...[...unused].map((one) => `EXCEPTIONS: ${one} is not needed`)];
}
