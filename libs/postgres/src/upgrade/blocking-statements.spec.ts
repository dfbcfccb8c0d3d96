import { describe, expect, it } from '@jest/globals';

import { findBlocking, FORBIDDEN, type Rule } from './blocking-statements.js';

/** Of each rule: what it finds, and what its sentence says to do instead. */
const CASES: Record<Rule, { found: string[]; instead: string[] }> = {
  unparsable: { found: ['ALTER TABLE visits ADDD COLUMN a text'], instead: [] },
  'builds-index': {
    found: [
      'CREATE INDEX visits_by_code ON visits (code)',
      'ALTER TABLE links ADD CONSTRAINT one_code UNIQUE (code)',
      'ALTER TABLE links ADD COLUMN token text UNIQUE',
      'ALTER TABLE links ADD EXCLUDE USING gist (period WITH &&)',
    ],
    instead: [
      'CREATE INDEX CONCURRENTLY visits_by_code ON visits (code)',
      'ALTER TABLE links ADD CONSTRAINT one_code UNIQUE USING INDEX links_one_code',
      'CREATE TABLE notes (id integer PRIMARY KEY, link_id bigint); CREATE INDEX notes_by_link ON notes (link_id)',
      'CREATE INDEX tags_by_name ON tags (name)',
    ],
  },
  'concurrent-not-alone': {
    found: [
      'ALTER TABLE links ADD COLUMN a text; CREATE INDEX CONCURRENTLY links_by_a ON links (a)',
      'DROP INDEX CONCURRENTLY links_by_a; SELECT 1',
    ],
    instead: ['DROP INDEX CONCURRENTLY links_by_a', 'DROP INDEX links_by_a; SELECT 1'],
  },
  'rewrites-table': {
    found: [
      'ALTER TABLE visits ALTER COLUMN link_id TYPE text',
      'ALTER TABLE links ADD COLUMN token uuid NOT NULL DEFAULT gen_random_uuid()',
      'ALTER TABLE links ADD COLUMN number bigserial',
      'ALTER TABLE links ADD COLUMN folded text GENERATED ALWAYS AS (lower(code)) STORED',
      'ALTER TABLE links SET UNLOGGED',
      'VACUUM FULL links',
      'REINDEX TABLE links',
    ],
    instead: [
      'ALTER TABLE links ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now()',
      "ALTER TABLE links ADD COLUMN kind text NOT NULL DEFAULT 'plain', ADD COLUMN token uuid",
      'ALTER TABLE links ALTER COLUMN kind SET DEFAULT gen_random_uuid()',
      'ALTER TABLE worker_leases ALTER COLUMN worker_id TYPE bigint',
    ],
  },
  'scans-under-lock': {
    found: [
      'ALTER TABLE visits ADD CONSTRAINT has_code CHECK (code IS NOT NULL)',
      'ALTER TABLE links ADD CONSTRAINT of_user FOREIGN KEY (user_id) REFERENCES users',
      'ALTER TABLE links ADD COLUMN user_id integer DEFAULT 1 REFERENCES users',
      'ALTER TABLE visits ATTACH PARTITION visits_2020_01 FOR VALUES FROM (1) TO (2)',
    ],
    instead: [
      'ALTER TABLE visits ADD CONSTRAINT has_code CHECK (code IS NOT NULL) NOT VALID',
      'ALTER TABLE visits VALIDATE CONSTRAINT has_code',
      'ALTER TABLE links ADD COLUMN user_id integer REFERENCES users',
    ],
  },
  'validates-too-soon': {
    found: [
      'ALTER TABLE links ADD CONSTRAINT c CHECK (code IS NOT NULL) NOT VALID; ALTER TABLE links VALIDATE CONSTRAINT c',
    ],
    instead: ['ALTER TABLE links VALIDATE CONSTRAINT c'],
  },
  'sets-not-null': {
    found: ['ALTER TABLE links ALTER COLUMN title SET NOT NULL'],
    instead: ['ALTER TABLE users ALTER COLUMN name SET NOT NULL', 'ALTER TABLE links ALTER COLUMN title DROP NOT NULL'],
  },
  'needs-a-value': {
    found: ['ALTER TABLE sessions ADD COLUMN a text NOT NULL'],
    instead: ["ALTER TABLE sessions ADD COLUMN a text NOT NULL DEFAULT ''", 'ALTER TABLE sessions ADD COLUMN a text'],
  },
  'locks-table': {
    found: [
      'LOCK TABLE links',
      'LOCK TABLE visits IN SHARE MODE',
      'ALTER TABLE visits DETACH PARTITION visits_2020_01',
    ],
    instead: ['LOCK TABLE links IN ROW EXCLUSIVE MODE'],
  },
  'changes-rows': {
    found: [
      'UPDATE links SET title = NULL',
      'DELETE FROM visits WHERE code IS NULL',
      'WITH gone AS (DELETE FROM link_titles RETURNING link_id) SELECT count(*) FROM gone',
    ],
    instead: ["UPDATE share_links SET view = '{}'", 'INSERT INTO ledger_labels DEFAULT VALUES'],
  },
  'reads-big-table': {
    found: [
      'CREATE TABLE notes (id bigint); INSERT INTO notes SELECT id FROM links',
      'CREATE TABLE copies AS SELECT * FROM visits',
      'SELECT count(*) FROM link_traffic',
    ],
    instead: ['CREATE TABLE notes (id bigint); INSERT INTO notes SELECT id FROM tags', "SELECT audit_table('tags')"],
  },
  'still-used': {
    found: [
      'ALTER TABLE links DROP COLUMN title',
      'DROP TABLE link_titles',
      'ALTER TABLE links RENAME COLUMN title TO name',
      'ALTER TABLE links RENAME TO short_links',
      'DROP FUNCTION audit_changes()',
    ],
    instead: ['ALTER TABLE links DROP CONSTRAINT of_user', 'CREATE TABLE a (b integer); ALTER TABLE a RENAME TO c'],
  },
  'hides-statements': { found: ['DO $$ BEGIN DELETE FROM links; END $$'], instead: [] },
  'ends-transaction': { found: ['COMMIT', 'BEGIN'], instead: [] },
  'empties-table': { found: ['TRUNCATE link_titles'], instead: [] },
};

const rules = async (sql: string, earlier?: string[]) => (await findBlocking(sql, earlier)).map(({ rule }) => rule);

describe.each(Object.entries(CASES))('%s', (rule, { found, instead }) => {
  it.each(found)('is found: %s', async (sql) => {
    expect(await rules(sql)).toEqual([rule]);
  });

  it.each(instead.length === 0 ? ['SELECT 1'] : instead)('is not found: %s', async (sql) => {
    expect(await rules(sql)).toEqual([]);
  });
});

describe('findBlocking', () => {
  it('says the line, the table and what to do instead', async () => {
    const sql = '-- Ünlike ASCII.\nSELECT 1;\n\n-- Why.\nALTER TABLE links ADD COLUMN a text,\n  DROP COLUMN title;\n';
    expect(await findBlocking(sql)).toEqual([
      { rule: 'still-used', line: 5, text: `links.title: ${FORBIDDEN['still-used']}` },
    ]);
  });

  it('lets NOT NULL be set where an earlier migration has validated that nothing is null', async () => {
    const set = 'ALTER TABLE links ALTER COLUMN title SET NOT NULL';
    const added = 'ALTER TABLE links ADD CONSTRAINT has_title CHECK (title IS NOT NULL) NOT VALID';
    expect(await rules(set, [added])).toEqual(['sets-not-null']);
    expect(await rules(set, [added, 'ALTER TABLE links VALIDATE CONSTRAINT has_title'])).toEqual([]);
    const other = 'ALTER TABLE links ADD CONSTRAINT has_title CHECK (code IS NOT NULL) NOT VALID';
    expect(await rules(set, [other, 'ALTER TABLE links VALIDATE CONSTRAINT has_title'])).toEqual(['sets-not-null']);
  });
});
