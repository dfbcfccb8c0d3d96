import { randomBytes } from 'node:crypto';

import pg from 'pg';

import { serviceAddress } from './service-addresses.js';
import { ensureTemplateDatabase } from './template-database.js';

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Rows of one statement on an own connection; bigint comes as text, timestamptz as Date. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  /** All of it as it is now, in another database: what a backup would bring back. */
  copy(): Promise<TestDatabase>;
  /** Ends every other session on this database, as a restart or a failover would. */
  disconnectOthers(): Promise<number>;
  /** Closes and deletes it, whoever is still connected. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** `migrated` (default): all migrations and the partitions around now; `empty`: nothing at all. */
  schema?: 'migrated' | 'empty';
}

/** Nothing that deletes may touch a database that does not say it is a test's. */
export function assertTestDatabaseName(name: string): void {
  if (!/test/.test(name) || !/^[a-z0-9_]+$/.test(name)) {
    throw new Error(`refusing to touch the database "${name}": its name must contain "test"`);
  }
}

/** A database of its own for one test file, cloned from a template with the migrated schema. */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const adminUrl = serviceAddress('DATABASE_URL');
  const name = `hopcount_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  assertTestDatabaseName(name);
  await asAdmin(adminUrl, async (admin) => {
    const template = options.schema === 'empty' ? 'template0' : await ensureTemplateDatabase(admin, adminUrl);
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  });
  return openTestDatabase(adminUrl, name);
}

function openTestDatabase(adminUrl: string, name: string): TestDatabase {
  const url = databaseUrl(adminUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 4, options: '-c TimeZone=UTC' });
  // A test may end every session of its database; the pool opens a new one on next use.
  pool.on('error', () => undefined);
  let dropped = false;
  return {
    name,
    url,
    query: async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[],
    disconnectOthers: async () => {
      const sessions = await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      return sessions.rowCount ?? 0;
    },
    copy: async () => {
      const copyName = `hopcount_test_${process.pid}_${randomBytes(6).toString('hex')}`;
      await asAdmin(adminUrl, (admin) => copyDatabase(admin, name, copyName));
      return openTestDatabase(adminUrl, copyName);
    },
    drop: async () => {
      if (dropped) return;
      dropped = true;
      assertTestDatabaseName(name);
      await pool.end();
      await asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** PostgreSQL copies a database only while nobody is connected to it; pools come back at once. */
async function copyDatabase(admin: pg.Client, name: string, copyName: string): Promise<void> {
  assertTestDatabaseName(name);
  for (let triesLeft = 20; ; triesLeft -= 1) {
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    try {
      await admin.query(`CREATE DATABASE ${copyName} TEMPLATE ${name} STRATEGY file_copy`);
      return;
    } catch (error) {
      const isInUse = (error as { code?: string }).code === '55006';
      if (!isInUse || triesLeft === 0) throw error;
    }
  }
}

/** The same server and credentials, another database. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

async function asAdmin<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: adminUrl });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
