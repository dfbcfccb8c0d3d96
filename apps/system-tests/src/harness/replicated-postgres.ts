import { freePorts } from '@hopcount/testing';
import { type ChildProcess, execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { endChild, launch, loadDeploy } from './own-services.js';

/** PostgreSQL and a standby that streams from it. */
export interface ReplicatedPostgres {
  /** As DATABASE_URL wants it. */
  readonly url: string;
  /** Of the standby. */
  readonly standbyUrl: string;
  /** SIGKILL, as of the standby. */
  killPrimary(): Promise<void>;
  startPrimary(): Promise<void>;
  killStandby(): Promise<void>;
  startStandby(): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = 'replicated';

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-replicated-'));
  chmodSync(folder, 0o711); // PostgreSQL is no root and must reach its files
  const [port, standbyPort] = (await freePorts(2)) as [number, number];
  const { preparePostgres } = await loadDeploy();
  const prepare = (name: string, of: number) => {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { recursive: true });
    const log = join(folder, `${name}.log`);
    return preparePostgres({ port: of, dataDir, password: PASSWORD, log, env: process.env, isThrowaway: true });
  };
  const primary = await prepare('primary', port);
  // As it was made, before it ever ran: what follows comes over the stream.
  mkdirSync(join(folder, 'standby'));
  execFileSync('cp', ['-a', primary.folder, join(folder, 'standby', 'postgres')]);
  const cluster = join(folder, 'standby', 'postgres', 'cluster');
  const from = `host=127.0.0.1 port=${port} user=hopcount password=${PASSWORD}`;
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
  writeFileSync(join(cluster, 'standby.signal'), '');
  const standby = await prepare('standby', standbyPort);
  const running = { primary: [] as ChildProcess[], standby: [] as ChildProcess[] };
  const kill = async (which: keyof typeof running) => {
    await Promise.all(running[which].map(endChild));
    running[which] = [];
  };
  const startPrimary = () => launch(primary.spec, running.primary);
  const startStandby = () => launch(standby.spec, running.standby);
  const stop = async () => {
    await Promise.all([kill('primary'), kill('standby')]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 50 });
  };
  try {
    await startPrimary();
    await startStandby();
  } catch (error) {
    await stop();
    throw error;
  }
  const url = (at: number) => `postgres://hopcount:${PASSWORD}@127.0.0.1:${at}/hopcount`;
  return {
    ...{ url: url(port), standbyUrl: url(standbyPort), stop },
    ...{ killPrimary: () => kill('primary'), startPrimary, killStandby: () => kill('standby'), startStandby },
  };
}
