import { type ChildProcess, execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePorts, waitUntil } from '@hopcount/testing';
import { Pool } from 'pg';

import { type ChildSpec, endChild, launch, listens } from './own-services.js';

const MEMBERS = ['a', 'b'] as const;
export type Member = (typeof MEMBERS)[number];

/** Two PostgreSQL under Patroni, the second a synchronous standby, behind HAProxy, as docs/operations/failover.md sets them up. */
export interface PatroniCluster {
  /** As DATABASE_URL wants it: whoever is primary. */
  readonly url: string;
  /** As DATABASE_READ_URL wants it: whoever is standby. */
  readonly readUrl: string;
  /** Of the role whose commits wait for no standby. */
  readonly consumerUrl: string;
  /** Past HAProxy. */
  urlOf(member: Member): string;
  /** Asks one of them; a failure is undefined. */
  ask<Row extends object>(url: string, sql: string): Promise<Row | undefined>;
  primary(): Promise<Member | undefined>;
  /** Whether the primary waits for a standby, which may be promoted. */
  isSynchronous(): Promise<boolean>;
  /** SIGKILL of Patroni and of PostgreSQL with all its sessions. */
  kill(member: Member): Promise<void>;
  start(member: Member): Promise<void>;
  /** Runs the line of the handbook that begins with this. @returns what it printed */
  handbook(line: string): string;
  stop(): Promise<void>;
}

const PASSWORD = 'patroni';
const HANDBOOK = join(process.cwd(), 'docs/operations/failover.md');
const UP_MS = 120_000;
/** duplicate_database, duplicate_object */
const EXISTS = ['42P04', '42710'];
const DEBIAN = '/usr/lib/postgresql';

interface Ports {
  etcd: number;
  etcdPeers: number;
  primary: number;
  standby: number;
  postgres: Record<Member, number>;
  rest: Record<Member, number>;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-patroni-'));
  chmodSync(folder, 0o711); // PostgreSQL is no root and must reach its files
  const ports = await somePorts();
  const user = postgresUser();
  const running: Record<'etcd' | 'haproxy' | Member, ChildProcess[]> = { etcd: [], haproxy: [], a: [], b: [] };
  const end = async (name: keyof typeof running) => {
    await Promise.all(running[name].map(endChild));
    running[name] = [];
  };
  const urlAt = (port: number, role = 'hopcount') => `postgres://${role}:${PASSWORD}@127.0.0.1:${port}/hopcount`;
  const specs = { a: patroniSpec(folder, 'a', ports, user), b: patroniSpec(folder, 'b', ports, user) };
  const start = (member: Member) => launch(specs[member], running[member]);
  const kill = async (member: Member) => {
    await end(member);
    killPostgres(join(folder, member, 'cluster'));
  };
  const stop = async () => {
    for (const member of MEMBERS) await kill(member);
    await Promise.all([end('etcd'), end('haproxy')]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 50 });
  };
  const primary = async () => {
    for (const member of MEMBERS) {
      const state = await askOnce<{ standby: boolean }>(
        urlAt(ports.postgres[member]),
        'SELECT pg_is_in_recovery() AS standby',
      );
      if (state?.standby === false) return member;
    }
    return undefined;
  };
  const handbook = (line: string) => runLine(line, join(folder, 'a.yml'));
  // Of Patroni, which promotes no other; PostgreSQL knows it a moment earlier.
  const isSynchronous = () => Promise.resolve(handbook('patronictl -c /etc/patroni.yml list').includes('Sync Standby'));
  try {
    await launch(etcdSpec(folder, ports, user), running.etcd);
    await start('a');
    await launch(haproxySpec(folder, ports), running.haproxy);
    await makeDatabase(`postgres://hopcount:${PASSWORD}@127.0.0.1:${ports.primary}/postgres`);
    await start('b');
    await waitUntil(isSynchronous, { timeoutMs: UP_MS, everyMs: 200, describe: 'a synchronous standby' });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{
      url: urlAt(ports.primary),
      readUrl: urlAt(ports.standby),
      consumerUrl: urlAt(ports.primary, 'hopcount_consumer'),
    },
    ...{
      urlOf: (member) => urlAt(ports.postgres[member]),
      ask: askOnce,
      primary,
      isSynchronous,
      kill,
      start,
      handbook,
      stop,
    },
  };
}

async function somePorts(): Promise<Ports> {
  const [etcd, etcdPeers, primary, standby, a, b, restA, restB] = (await freePorts(8)) as [number, ...number[]];
  return {
    ...{ etcd, etcdPeers: etcdPeers!, primary: primary!, standby: standby! },
    ...{ postgres: { a: a!, b: b! }, rest: { a: restA!, b: restB! } },
  };
}

type User = Pick<ChildSpec, 'uid' | 'gid'>;

/** PostgreSQL refuses to be root. */
function postgresUser(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function ownFolder(path: string, { uid, gid }: User): string {
  mkdirSync(path, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  return path;
}

function etcdSpec(folder: string, ports: Ports, user: User): ChildSpec {
  const [client, peer] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.etcdPeers}`];
  const urls = [
    ['listen-client-urls', client],
    ['advertise-client-urls', client],
  ];
  urls.push(['listen-peer-urls', peer], ['initial-advertise-peer-urls', peer], ['initial-cluster', `etcd=${peer}`]);
  const args = ['--name=etcd', `--data-dir=${ownFolder(join(folder, 'etcd'), user)}`];
  args.push(...urls.map(([name, url]) => `--${name}=${url}`));
  return { name: 'etcd', command: 'etcd', args, env: process.env, ...user, isReady: () => listens(ports.etcd) };
}

function patroniSpec(folder: string, member: Member, ports: Ports, user: User): ChildSpec {
  const home = ownFolder(join(folder, member), user);
  const path = join(folder, `${member}.yml`);
  // YAML's other spelling.
  writeFileSync(path, JSON.stringify(patroniSettings(home, member, ports)));
  const isReady = async () =>
    (await askOnce(`postgres://hopcount:${PASSWORD}@127.0.0.1:${ports.postgres[member]}/postgres`, 'SELECT 1')) !==
    undefined;
  return { name: `patroni ${member}`, command: 'patroni', args: [path], env: process.env, ...user, isReady };
}

/** Those of docs/operations/failover.md, on this machine and with less patience. */
function patroniSettings(home: string, member: Member, { etcd, postgres, rest }: Ports) {
  const at = (port: number) => `127.0.0.1:${port}`;
  const login = { username: 'hopcount', password: PASSWORD };
  const major = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))[0];
  const hba = [
    'local all all trust',
    'host all all 127.0.0.1/32 scram-sha-256',
    'host replication all 127.0.0.1/32 scram-sha-256',
  ];
  return {
    ...{ scope: 'hopcount', name: member, etcd3: { host: at(etcd) } },
    restapi: { listen: at(rest[member]), connect_address: at(rest[member]) },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 2, retry_timeout: 5, synchronous_mode: true, maximum_lag_on_failover: 1_073_741_824 },
        postgresql: {
          use_pg_rewind: true,
          // A member that is kept from its primary for long stays connected here.
          parameters: { max_connections: 200, wal_log_hints: 'on', wal_sender_timeout: '180s' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      ...{ listen: at(postgres[member]), connect_address: at(postgres[member]), bin_dir: `${DEBIAN}/${major}/bin` },
      ...{ data_dir: join(home, 'cluster'), pgpass: join(home, 'pgpass'), pg_hba: hba },
      parameters: { unix_socket_directories: '', password_encryption: 'scram-sha-256' },
      basebackup: [{ checkpoint: 'fast' }],
      authentication: { superuser: login, replication: login, rewind: login },
    },
  };
}

function haproxySpec(folder: string, { primary, standby, postgres, rest }: Ports): ChildSpec {
  const path = join(folder, 'haproxy.cfg');
  const server = /^( +server) (\w) \S+ check port \S+$/gm;
  const text = blockOf('```haproxy')
    .replace(':5000', `:${primary}`)
    .replace(':5001', `:${standby}`)
    .replace(
      server,
      (_, word: string, name: Member) => `${word} ${name} 127.0.0.1:${postgres[name]} check port ${rest[name]}`,
    );
  writeFileSync(path, text);
  const isReady = () => listens(primary);
  return { name: 'haproxy', command: 'haproxy', args: ['-q', '-db', '-f', path], env: process.env, isReady };
}

async function makeDatabase(url: string): Promise<void> {
  const isThere = async () => (await askOnce(url, 'SELECT 1')) !== undefined;
  await waitUntil(isThere, { timeoutMs: UP_MS, everyMs: 200, describe: 'the primary behind HAProxy' });
  for (const statement of blockOf('```sql').split(';')) {
    if (statement.trim() === '') continue;
    const isDone = () => withPool(url, (pool) => runOnce(pool, statement.replace('SECRET', PASSWORD)));
    await waitUntil(isDone, { timeoutMs: UP_MS, everyMs: 200, describe: statement });
  }
}

/** On a busy machine its answer may come too late, or HAProxy takes the primary for dead: it is there then, or is made again. */
async function runOnce(pool: Pool, statement: string): Promise<true> {
  await pool.query(statement).catch((error: { code?: string }) => {
    if (!EXISTS.includes(error.code ?? '')) throw error;
  });
  return true;
}

/** Of the handbook. */
function blockOf(fence: string): string {
  const text = readFileSync(HANDBOOK, 'utf8');
  const from = text.indexOf(`${fence}\n`);
  if (from < 0) throw new Error(`the handbook has no block ${fence}`);
  return text.slice(from + fence.length + 1, text.indexOf('```', from + fence.length));
}

function runLine(start: string, config: string): string {
  const line = readFileSync(HANDBOOK, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(start));
  if (line === undefined) throw new Error(`the handbook has no line that begins with ${start}`);
  const [program = '', ...args] = line.replace('/etc/patroni.yml', config).split(' ');
  return execFileSync(program, args, { encoding: 'utf8' });
}

/** The first line of its file names the postmaster; its sessions, which outlive it for a moment, are of its group. */
function killPostgres(cluster: string): void {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster)) process.kill(pid, 'SIGKILL');
  } catch {
    // It is not there.
  }
}

async function askOnce<Row extends object>(url: string, sql: string): Promise<Row | undefined> {
  return withPool(url, async (pool) => (await pool.query<Row>(sql)).rows[0]).catch(() => undefined);
}

async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 3_000, query_timeout: 10_000 });
  pool.on('error', () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
