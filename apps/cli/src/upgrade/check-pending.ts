import { type Check, fail, ok, warn } from '@hopcount/ledger';
import {
  type Database,
  describeMigration,
  findBlocking,
  migrationFilesOf,
  readMigrationFiles,
} from '@hopcount/postgres';

import { plural } from '../output/output.js';

const HAS_SCHEMA = `SELECT to_regclass('schema_migrations') IS NOT NULL AS "hasSchema"`;
const READ_APPLIED = 'SELECT name FROM schema_migrations';

/** What `hopcount migrate` of this version would do, a line for each migration. */
export async function checkPending(database: Database): Promise<Check[]> {
  const unknown = await migrationsOfLaterVersions(database);
  if (unknown.length > 0) {
    const found = `the database has ${plural(unknown.length, 'migration')} that this version lacks: ${unknown.join(', ')}`;
    return [
      fail('schema', found, 'It is of a later version; migrations are not undone. Take that version or a later one.'),
    ];
  }
  const pending = migrationFilesOf(await database.pendingMigrations());
  if (pending.length === 0) return [ok('schema', 'nothing to migrate')];
  const sqlOf = readMigrationFiles();
  const lines = await Promise.all(
    pending.map(async ({ file, sql }) => {
      const earlier = sqlOf.filter((one) => one.file < file).map((one) => one.sql);
      const does = (await describeMigration(sql)).join('; ');
      const blocking = await findBlocking(sql, earlier);
      return blocking.length === 0
        ? ok(`migration ${file}`, does)
        : warn(`migration ${file}`, does, `Apply it while little is counted. ${blocking.map(sentence).join(' ')}`);
    }),
  );
  return [ok('schema', `${plural(pending.length, 'migration')} to apply`), ...lines];
}

function sentence({ line, text }: { line: number; text: string }): string {
  return `Line ${line}: ${text}`;
}

async function migrationsOfLaterVersions(database: Database): Promise<string[]> {
  const [row] = await database.query<{ hasSchema: boolean }>(HAS_SCHEMA);
  if (row?.hasSchema !== true) return [];
  const applied = (await database.query<{ name: string }>(READ_APPLIED)).map(({ name }) => name);
  const known = new Set(migrationFilesOf(applied).map(({ name }) => name));
  return applied.filter((name) => !known.has(name.replace(/\d+$/, '')));
}
