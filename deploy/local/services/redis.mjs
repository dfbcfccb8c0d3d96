// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answers } from '../ports.mjs';

/**
 * Redis holds caches, claims and locks, nothing that cannot be had again: it writes nothing to disk.
 * @param {{port: number, folder: string, password?: string, log: string, env: NodeJS.ProcessEnv}} options password: absent: none is asked for
 * @returns {import('../child.mjs').ChildSpec}
 */
export function prepareRedis({ port, folder, password, log, env }) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    daemonize: 'no',
  };
  // Its arguments can be read by everybody on this machine.
  const file = join(folder, 'redis.conf');
  writeFileSync(file, password === undefined ? '' : `requirepass ${password}\n`, { mode: 0o600 });
  return {
    name: 'redis',
    kind: 'redis',
    command: 'redis-server',
    args: [file, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
    env,
    log,
    isReady: () => answers(port, { send: 'PING\r\n', reply: (text) => /^(\+PONG|-NOAUTH)/.test(text) }),
    readyTimeoutMs: 30_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 10_000,
  };
}
