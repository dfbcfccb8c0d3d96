import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { testDatabase } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from './database.js';
import { loadPreparedSql } from './load-sql.js';
import { classifyPostgresError } from './postgres.errors.js';
import type { Queryable } from './queryable.js';
import { StatementPool } from './statement-pool.js';

const KINDS = {
  async transactions(url: string) {
    const database = await Database.connect({ url, applicationName: 'prepared-spec', poolSize: 1 });
    return { pool: database, close: () => database.close() };
  },
  statements(url: string) {
    const pool = new StatementPool({ url, applicationName: 'prepared-spec', poolSize: 1 });
    return Promise.resolve({ pool, close: () => pool.close() });
  },
};

describe.each(Object.entries(KINDS))('a pool of %s', (_, open) => {
  let server: Awaited<ReturnType<typeof testDatabase>>;
  let folder: string;
  let ask: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'prepared-'));
    writeFileSync(path.join(folder, 'ask.sql'), `SELECT * FROM notes WHERE id = $1 -- ${folder}`);
    ask = loadPreparedSql(pathToFileURL(path.join(folder, 'caller.js')).href, 'ask.sql');
  });
  beforeEach(async () => {
    server = await testDatabase({ schema: 'empty' });
    await server.query('CREATE TABLE notes (id bigint, note text)');
    await server.query(`INSERT INTO notes VALUES (1, 'one'), (2, 'two')`);
  });
  afterEach(() => server.drop());
  afterAll(() => rmSync(folder, { recursive: true }));

  const runsOf = async (pool: Queryable) => {
    const rows = await pool.query<{ runs: string }>(
      `SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement LIKE '%FROM notes%'`,
    );
    return rows.map(({ runs }) => Number(runs));
  };

  it('prepares once a connection what is asked often, and nothing else', async () => {
    const { pool, close } = await open(server.url);
    for (const id of [1, 2, 3]) {
      expect(await pool.query(ask, [id])).toHaveLength(id < 3 ? 1 : 0);
      await pool.query('SELECT note FROM notes WHERE id = $1', [id]);
    }
    expect(await runsOf(pool)).toEqual([3]);
    await close();
  });

  it('prepares nothing behind pgbouncer, whose sessions change', async () => {
    const { pool, close } = await open(`${server.url}?pgbouncer=true`);
    expect(await pool.query(ask, [1])).toHaveLength(1);
    expect(await runsOf(pool)).toEqual([]);
    await close();
  });

  it('a statement with other columns after a migration fails once, as an outage, and not for ever', async () => {
    const { pool, close } = await open(server.url);
    await pool.query(ask, [1]);
    await server.query('ALTER TABLE notes ADD COLUMN kind text');
    const error: unknown = await pool.query(ask, [1]).catch((cause: unknown) => cause);
    expect(classifyPostgresError(error)).toBe('unavailable');
    const again = () => pool.query(ask, [1]).catch(() => pool.query(ask, [1])); // its end may come with the next one
    expect(await again()).toEqual([{ id: '1', note: 'one', kind: null }]);
    await close();
  });
});
