// @ts-check
// npm run schema:check and schema:dump: libs/postgres/schema.sql is what the migrations make of an
// empty database, for reading and for review. The check fails when the two differ.
import { fork, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { freePort } from '../local/ports.mjs';
import { ROOT } from '../local/settings.mjs';
import { removeDataDir } from '../local/stack-file.mjs';

const SCHEMA_FILE = join(ROOT, 'libs/postgres/schema.sql');
const HEADER = '-- Written by `npm run schema:dump` from the migrations; not meant to be edited.\n';

/**
 * @param {(databaseUrl: string) => Promise<string>} use
 * @returns {Promise<string>}
 */
async function withEmptyDatabase(use) {
  const dataDir = mkdtempSync(join(tmpdir(), 'hopcount-schema-'));
  chmodSync(dataDir, 0o711);
  // Kafka and Redis are not needed: an address given is a service not started.
  const unused = { KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: '' };
  const own = { POSTGRES_PORT: String(await freePort()), HOPCOUNT_DATA_DIR: dataDir };
  const env = { ...process.env, ...unused, ...own };
  const script = join(ROOT, 'deploy/local/supervise.mjs');
  const supervisor = fork(script, ['--services', '--throwaway'], { env, detached: true, execArgv: [] });
  const ended = new Promise((resolve) => supervisor.once('exit', resolve));
  try {
    /** @type {string} */
    const url = await new Promise((/** @type {(url: string) => void} */ resolve, reject) => {
      supervisor.on('message', (/** @type {{ready?: {databaseUrl: string}, failed?: string}} */ message) => {
        if (message.ready) resolve(message.ready.databaseUrl);
        if (message.failed !== undefined) reject(new Error(message.failed));
      });
    });
    migrate({ ...env, DATABASE_URL: url });
    return await use(url);
  } finally {
    supervisor.kill('SIGTERM');
    await ended;
    removeDataDir(dataDir);
  }
}

/** @param {NodeJS.ProcessEnv} env */
function migrate(env) {
  const cli = join(ROOT, 'apps/cli/dist/bundle.js');
  const { status, stderr } = spawnSync(process.execPath, [cli, 'migrate'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`hopcount migrate failed:\n${stderr}`);
}

/** @param {string} databaseUrl */
async function describe(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const query = readFileSync(join(ROOT, 'deploy/checks/describe-schema.sql'), 'utf8');
    const { rows } = await client.query(query);
    return `${HEADER}\n${rows.map(({ ddl }) => `${String(ddl).trim()}\n`).join('\n')}`;
  } finally {
    await client.end();
  }
}

/**
 * @param {string} before
 * @param {string} after
 */
function differences(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const gone = old.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const added = now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`);
  return [...gone, ...added].join('\n');
}

const schema = await withEmptyDatabase(describe);
if (process.argv.includes('--write')) {
  writeFileSync(SCHEMA_FILE, schema);
} else if (readFileSync(SCHEMA_FILE, 'utf8') !== schema) {
  const committed = readFileSync(SCHEMA_FILE, 'utf8');
  process.stderr.write(`libs/postgres/schema.sql is not what the migrations make; npm run schema:dump writes it.\n`);
  process.stderr.write(`${differences(committed, schema)}\n`);
  process.exitCode = 1;
}
