import { freePorts } from '@hopcount/testing';
import { execFileSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Handbook } from './handbook.js';
import { endChild, launch, listens } from './own-services.js';

/** HAProxy before two gateways, as docs/operations/rollout.md sets it up. */
export interface BalancedGateways {
  readonly url: string;
  /** Runs the `echo` of the handbook's section. */
  shift(section: string): Promise<void>;
  /** Whether visitors who ask for the canary would get it. */
  hasCanary(): Promise<boolean>;
  stop(): Promise<void>;
}

const SOCKET = '/run/haproxy/admin.sock';
const COMMAND = /^echo "(.*)" \| socat stdio (\S+)$/;

export async function startBalancer(ports: { stable: number; canary: number }): Promise<BalancedGateways> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-haproxy-'));
  const [port] = (await freePorts(1)) as [number];
  const socket = join(folder, 'admin.sock');
  const path = join(folder, 'haproxy.cfg');
  const handbook = new Handbook('rollout.md');
  const text = handbook
    .block('haproxy')
    .replace(SOCKET, socket)
    .replace(':80\n', `127.0.0.1:${port}\n`)
    .replaceAll('10.0.0.1:8080', `127.0.0.1:${ports.stable}`)
    .replaceAll('10.0.0.2:8080', `127.0.0.1:${ports.canary}`);
  writeFileSync(path, text);
  execFileSync('haproxy', ['-c', '-q', '-f', path]);
  const children: ChildProcess[] = [];
  const isReady = () => listens(port);
  await launch(
    { name: 'haproxy', command: 'haproxy', args: ['-q', '-db', '-f', path], env: process.env, isReady },
    children,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    shift: async (section) => {
      const [, commands = '', at] = COMMAND.exec(handbook.command(section, 'echo ')) ?? [];
      if (at !== SOCKET) throw new Error(`${section} of the handbook does not talk to ${SOCKET}`);
      const said = (await ask(socket, commands)).trim();
      if (said !== '') throw new Error(`HAProxy says: ${said}`);
    },
    hasCanary: async () => /^canary,canary,.*,UP/m.test(await ask(socket, 'show stat')),
    stop: async () => {
      await Promise.all(children.map((child) => endChild(child)));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As socat does. */
function ask(socket: string, commands: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const connection = createConnection(socket, () => connection.end(`${commands}\n`));
    connection.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    connection.on('end', () => resolve(answer));
    connection.on('error', reject);
  });
}
