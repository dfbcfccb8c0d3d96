// @ts-check
import { mkdirSync } from 'node:fs';

import { answers } from '../ports.mjs';

/**
 * Redis holds caches, claims and locks, nothing that cannot be had again: it writes nothing to disk.
 * @param {{port: number, folder: string, log: string, env: NodeJS.ProcessEnv}} options
 * @returns {import('../child.mjs').ChildSpec}
 */
export function prepareRedis({ port, folder, log, env }) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    daemonize: 'no',
  };
  return {
    name: 'redis',
    kind: 'redis',
    command: 'redis-server',
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    env,
    log,
    isReady: () => answers(port, { send: 'PING\r\n', reply: (text) => text.startsWith('+PONG') }),
    readyTimeoutMs: 30_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 10_000,
  };
}
