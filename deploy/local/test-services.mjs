// @ts-check
// Services of a test run: Kafka, PostgreSQL and Redis on free ports, with data of their own.
import { fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { StackError } from './output.mjs';
import { freePort } from './ports.mjs';
import { children } from './test-jest.mjs';

/** @typedef {import('./services.mjs').Addresses} Services */

/**
 * @param {string} dataDir
 * @returns {Promise<{services: Services, stop: () => Promise<void>}>}
 */
export async function startServices(dataDir) {
  const taken = new Set();
  const ports = [];
  for (const name of ['KAFKA_PORT', 'POSTGRES_PORT', 'REDIS_PORT']) {
    const port = await freePort(undefined, taken);
    taken.add(port);
    ports.push([name, String(port)]);
  }
  const env = { ...process.env, ...Object.fromEntries(ports), HOPCOUNT_DATA_DIR: dataDir };
  const script = join(dirname(fileURLToPath(import.meta.url)), 'supervise.mjs');
  // Should this process be killed, the channel closes and the supervisor stops everything by itself.
  const supervisor = fork(script, ['--services', '--throwaway'], { env, detached: true, execArgv: [] });
  children.add(supervisor);
  const ended = new Promise((resolve) => supervisor.once('exit', () => resolve(undefined)));
  const services = await new Promise((/** @type {(services: Services) => void} */ resolve, reject) => {
    supervisor.on('message', (/** @type {{line?: string, ready?: Services, failed?: string}} */ message) => {
      if (message.line !== undefined) process.stdout.write(`${message.line}\n`);
      if (message.failed !== undefined) reject(new StackError(message.failed));
      if (message.ready) resolve(message.ready);
    });
    supervisor.once('exit', () => reject(new StackError('the services ended')));
  });
  return {
    services,
    stop: async () => {
      supervisor.kill('SIGTERM');
      await ended;
      children.delete(supervisor);
    },
  };
}

/** For tests that run on them. @param {Services} services @returns {NodeJS.ProcessEnv} */
export function environmentOn(services) {
  return {
    ...process.env,
    KAFKA_BROKERS: services.kafkaBrokers,
    // Tests make databases of their own.
    DATABASE_URL: services.databaseAdminUrl ?? services.databaseUrl,
    REDIS_URL: services.redisUrl,
    // Our own broker lets a consumer that was killed go sooner.
    ...(process.env['KAFKA_BROKERS'] === undefined && { TEST_SESSION_TIMEOUT_MS: '3000' }),
  };
}
