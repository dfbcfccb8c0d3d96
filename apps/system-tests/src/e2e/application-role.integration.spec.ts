import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort, serviceAddress } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Client } from 'pg';

import { runCliWith } from '../harness/cli.js';
import { type Deploy, endChild, launch, loadDeploy, terminateChild } from '../harness/own-services.js';

const ROLE = `SELECT rolname AS name, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS "mayMore"
  FROM pg_roles WHERE rolname = current_user`;
/** What Hopcount made, and the role does not own; an extension is its superuser's. */
const FOREIGN = `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> current_user::regrole
  UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proowner <> current_user::regrole
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typowner <> current_user::regrole
    AND NOT EXISTS (SELECT FROM pg_depend WHERE deptype = 'e' AND objid IN (pg_type.oid, pg_type.typelem))`;

let deploy: Deploy;
const folders: string[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  deploy = await loadDeploy();
});
afterAll(async () => {
  for (const child of children) await endChild(child);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-role-'));
  chmodSync(folder, 0o711);
  folders.push(folder);
  return folder;
}

/** As `npm start` brings it up. @param applicationPassword absent: as earlier versions did */
async function startPostgres(dataDir: string, applicationPassword?: string) {
  const port = await freePort();
  const options = {
    port,
    dataDir,
    password: 'of-the-superuser',
    applicationPassword,
    log: join(dataDir, 'log'),
    env: process.env,
  };
  const { spec, url } = await deploy.preparePostgres(options);
  await launch(spec, children);
  const server = children.at(-1)!;
  return { url, stop: () => terminateChild(server) };
}

const migrate = (url: string) =>
  runCliWith(
    { DATABASE_URL: url, REDIS_URL: serviceAddress('REDIS_URL'), KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS') },
    'migrate',
  );

async function ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

describe("the local stack's role in PostgreSQL", () => {
  it('owns its database and may nothing else; migrations need no more', async () => {
    const postgres = await startPostgres(newFolder(), 'of-the-application');
    expect(await migrate(postgres.url)).toMatchObject({ code: 0 });
    expect(await ask(postgres.url, ROLE)).toEqual([{ name: 'hopcount_app', mayMore: false }]);
    expect(await ask(postgres.url, FOREIGN)).toEqual([]);
    for (const refused of [
      'CREATE ROLE other',
      'CREATE DATABASE other',
      'TABLE pg_authid',
      "SELECT pg_read_file('PG_VERSION')",
    ]) {
      await expect(ask(postgres.url, refused)).rejects.toMatchObject({ code: '42501' });
    }
    await postgres.stop();
  }, 180_000);

  it('takes over a data folder whose Hopcount was a superuser, with all that is in it, also twice', async () => {
    const folder = newFolder();
    const earlier = await startPostgres(folder);
    expect(await migrate(earlier.url)).toMatchObject({ code: 0 });
    await ask(earlier.url, "INSERT INTO groups (id, name) VALUES ('kept', 'Kept')");
    expect(await ask(earlier.url, ROLE)).toEqual([{ name: 'hopcount', mayMore: true }]);
    await earlier.stop();
    for (const password of ['of-the-application', 'of-the-application', 'another-one']) {
      const postgres = await startPostgres(folder, password);
      expect(await ask(postgres.url, ROLE)).toEqual([{ name: 'hopcount_app', mayMore: false }]);
      expect(await ask(postgres.url, FOREIGN)).toEqual([]);
      expect(await ask(postgres.url, "SELECT name FROM groups WHERE id = 'kept'")).toEqual([{ name: 'Kept' }]);
      // As a later migration would.
      await ask(postgres.url, 'ALTER TABLE links ADD COLUMN later integer', 'ALTER TABLE links DROP COLUMN later');
      await ask(postgres.url, "SELECT create_visit_partitions(now(), now() + interval '1 year')");
      expect(await migrate(postgres.url)).toMatchObject({ code: 0, stderr: expect.stringContaining('up to date') });
      await postgres.stop();
    }
  }, 180_000);
});

describe("the local stack's Redis", () => {
  it('answers with its password only, which stands in no list of processes', async () => {
    const port = await freePort();
    const folder = newFolder();
    const password = 'of-the-stack';
    const spec = deploy.prepareRedis({ port, folder, password, log: join(folder, 'log'), env: process.env });
    expect(spec.args.join(' ')).not.toContain(password);
    await launch(spec, children);
    const asked = async (url: string) => {
      const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => undefined);
      try {
        return await client.ping();
      } catch (error) {
        return (error as Error).message;
      } finally {
        client.disconnect();
      }
    };
    expect(await asked(`redis://127.0.0.1:${port}`)).toContain('NOAUTH');
    expect(await asked(`redis://:wrong@127.0.0.1:${port}`)).not.toBe('PONG');
    expect(await asked(`redis://:${password}@127.0.0.1:${port}`)).toBe('PONG');
  }, 60_000);
});
