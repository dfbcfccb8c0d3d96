import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('../../postgres/src/migrations/', import.meta.url));

interface Migration {
  /** What TypeORM writes down as applied, so that a process under test finds nothing to migrate. */
  name: string;
  timestamp: string;
  sql: string;
}

/** Every migration in order: the plain SQL and the name and time of the class beside it. */
function readMigrations(): Migration[] {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.up.sql'));
  return files.sort().map((file) => {
    const migrationClass = readFileSync(join(MIGRATIONS, file.replace('.up.sql', '.ts')), 'utf8');
    const named = /readonly name = '(\w*?(\d{13}))'/.exec(migrationClass);
    if (named?.[1] === undefined || named[2] === undefined) {
      throw new Error(`${file}: no "readonly name = '<Name><13 digits>'" in the class beside it`);
    }
    return { name: named[1], timestamp: named[2], sql: readFileSync(join(MIGRATIONS, file), 'utf8') };
  });
}

/**
 * Name of the template database with the migrated schema; makes it when no one has yet. Test files
 * run in parallel processes: one builds, the others wait on an advisory lock. The template is built
 * under another name and renamed when complete, so a killed builder leaves nothing half-made. The
 * month is part of its name because the partitions around "now" are part of it.
 */
export async function ensureTemplateDatabase(admin: pg.Client, adminUrl: string): Promise<string> {
  const migrations = readMigrations();
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 7));
  for (const { name, sql } of migrations) hash.update(name).update('\0').update(sql).update('\0');
  const template = `hopcount_test_template_${hash.digest('hex').slice(0, 12)}`;
  await admin.query("SELECT pg_advisory_lock(hashtext('hopcount-test-template'))");
  try {
    const existing = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (existing.rowCount === 0) await buildTemplate(admin, adminUrl, template, migrations);
  } finally {
    await admin.query("SELECT pg_advisory_unlock(hashtext('hopcount-test-template'))");
  }
  return template;
}

async function buildTemplate(admin: pg.Client, adminUrl: string, template: string, migrations: Migration[]) {
  const building = `${template}_building`;
  await admin.query(`DROP DATABASE IF EXISTS ${building} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${building} TEMPLATE template0`);
  const url = new URL(adminUrl);
  url.pathname = `/${building}`;
  const client = new pg.Client({ connectionString: url.toString(), options: '-c TimeZone=UTC' });
  await client.connect();
  try {
    await client.query(
      'CREATE TABLE schema_migrations (id serial PRIMARY KEY, "timestamp" bigint NOT NULL, name varchar NOT NULL)',
    );
    for (const { name, timestamp, sql } of migrations) {
      await client.query(sql);
      await client.query('INSERT INTO schema_migrations ("timestamp", name) VALUES ($1, $2)', [timestamp, name]);
    }
    await client.query("SELECT create_visit_partitions(now() - interval '2 months', now() + interval '2 months')");
  } finally {
    await client.end();
  }
  await admin.query(`ALTER DATABASE ${building} RENAME TO ${template}`);
}
