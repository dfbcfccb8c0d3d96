// @ts-check
import { connect, createServer } from 'node:net';

import { StackError } from './output.mjs';

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * @param {[string, number][]} ports by the variable that sets each
 * @throws {StackError} naming the first port that is taken
 */
export async function requireFree(ports) {
  /** @type {Map<number, string>} */
  const seen = new Map();
  for (const [variable, port] of ports) {
    const other = seen.get(port);
    if (other) throw new StackError(`${other} and ${variable} are both ${port}; give them different ports.`);
    seen.set(port, variable);
    if (!(await isFree(port))) {
      throw new StackError(
        `Port ${port} (${variable}) is already in use on 127.0.0.1. Stop what listens there or choose another: ${variable}=<port> npm start`,
      );
    }
  }
}

/**
 * A port of our own choice: `preferred` if nobody has it, else one from below the range (32768 and
 * up) that Linux gives to outgoing connections, so that it is still free when a child restarts.
 * @param {number} [preferred]
 * @param {Set<number>} [exclude]
 */
export async function freePort(preferred, exclude = new Set()) {
  if (preferred !== undefined && preferred < 65_536 && !exclude.has(preferred) && (await isFree(preferred))) {
    return preferred;
  }
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!exclude.has(port) && (await isFree(port))) return port;
  }
}

/**
 * Whether something answers at a port: `reply` must accept the first bytes it sends back.
 * @param {number} port
 * @param {{send?: string, reply?: (text: string) => boolean}} [probe] none: an open connection is enough
 * @returns {Promise<boolean>}
 */
export function answers(port, probe = {}) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (/** @type {boolean} */ answered) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('connect', () => (probe.send === undefined ? finish(true) : socket.write(probe.send)));
    socket.once('data', (bytes) => finish(probe.reply?.(bytes.toString('latin1')) ?? true));
    socket.once('close', () => resolve(false));
  });
}
