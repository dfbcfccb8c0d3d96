import { freePorts } from '@hopcount/testing';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { endChild, launch, listens, loadDeploy } from './own-services.js';

/** PostgreSQL behind pgbouncer, which gives each transaction the session that is free. */
export interface PooledPostgres {
  /** As DATABASE_URL wants it. */
  readonly url: string;
  /** Past pgbouncer. */
  readonly directUrl: string;
  stop(): Promise<void>;
}

const PASSWORD = 'pooled';
/** Fewer than processes have connections: they share. */
const SESSIONS = 12;

export async function startPooledPostgres(): Promise<PooledPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-pooled-'));
  chmodSync(folder, 0o711); // PostgreSQL is no root and must reach its files
  const [postgres, pgbouncer] = (await freePorts(2)) as [number, number];
  const children: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(children.map(endChild));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { preparePostgres } = await loadDeploy();
    const log = join(folder, 'postgres.log');
    const server = { port: postgres, dataDir: folder, password: PASSWORD, log, env: process.env };
    const { spec } = await preparePostgres({ ...server, isThrowaway: true });
    // Another zone than ours: a session that is not told has other days.
    await launch({ ...spec, args: [...spec.args, '-c', 'timezone=Asia/Kolkata'] }, children);
    await launch(pgbouncerSpec(folder, pgbouncer, postgres), children);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `postgres://hopcount:${PASSWORD}@127.0.0.1:${pgbouncer}/hopcount?pgbouncer=true`,
    directUrl: `postgres://hopcount:${PASSWORD}@127.0.0.1:${postgres}/hopcount`,
    stop,
  };
}

function pgbouncerSpec(folder: string, port: number, postgres: number) {
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
hopcount = host=127.0.0.1 port=${postgres} dbname=hopcount user=hopcount password=${PASSWORD}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = 500
server_lifetime = 5
`,
  );
  return {
    name: 'pgbouncer',
    command: 'pgbouncer',
    // It refuses to be root.
    args: ['-q', '-u', 'postgres', settings],
    env: process.env,
    isReady: () => listens(port),
  };
}
