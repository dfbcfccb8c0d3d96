import { describe, expect, it } from '@jest/globals';

import { MIGRATIONS } from '../migrations/index.js';
import { describeMigration } from './describe-statement.js';
import { lintMigrations, RELEASED_UP_TO } from './lint-migrations.js';
import { migrationFilesOf, readMigrationFiles } from './migration-files.js';

describe('migrations', () => {
  it('hold nothing that makes commits wait or breaks the previous version', async () => {
    expect(await lintMigrations(readMigrationFiles())).toEqual([]);
  });

  it('have each a class that runs it, and a file for each class', () => {
    const names = MIGRATIONS.map((migration) => migration.name);
    expect(migrationFilesOf(names).map(({ name }) => name)).toEqual(readMigrationFiles().map(({ name }) => name));
    expect(migrationFilesOf(names)).toHaveLength(names.length);
  });

  it('can all be described', async () => {
    for (const { file, sql } of readMigrationFiles()) {
      expect([file, ...(await describeMigration(sql))]).not.toContain('');
    }
    const [sessions] = migrationFilesOf(['DevicesAndSharedTags1768867200000']);
    expect(await describeMigration(sessions?.sql ?? '')).toEqual([
      'adds sessions.user_agent',
      'adds share_links.tag_id',
      'creates index share_links_of_tag on share_links',
      'updates share_links',
    ]);
  });
});

describe('lintMigrations', () => {
  const file = (number: number, sql: string) => ({ number, name: 'A', file: `00${number}-a`, sql });
  const bad = 'SELECT 1;\nTRUNCATE link_titles';

  it('names file, line and rule of migrations that are not released, and of those alone', async () => {
    expect(await lintMigrations([file(RELEASED_UP_TO, bad), file(RELEASED_UP_TO + 1, bad)], {})).toEqual([
      expect.stringMatching(/^0065-a\.up\.sql:2 empties-table: TRUNCATE: Everybody waits/),
    ]);
  });

  it('takes an exception that says why, and names one that nothing needs any more', async () => {
    const exceptions = { '0065-a': { 'empties-table': 'nobody reads it' } };
    expect(await lintMigrations([file(65, bad)], exceptions)).toEqual([]);
    expect(await lintMigrations([file(65, 'SELECT 1')], exceptions)).toEqual([
      'EXCEPTIONS: 0065-a empties-table is not needed',
    ]);
  });
});
