// @ts-check
// What the environment says about the local stack, read once. Nothing here needs node_modules.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { StackError } from './output.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

export const NODE_MAJOR = 26;
/** The one that npm packages brought. */
export const NODE = join(ROOT, 'node_modules/.bin/node');

export function isNodeNewEnough() {
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR;
}

/**
 * @typedef {object} Settings
 * @property {string} dataDir absolute
 * @property {{gateway: number, api: number, kafka: number, postgres: number, redis: number}} ports
 * @property {{kafkaBrokers?: string, databaseUrl?: string, redisUrl?: string}} given services that run elsewhere
 * @property {{kafka?: number, postgres?: number, redis?: number}} proxyPorts ports through which the apps reach
 *   the stack's own services: the fault suite listens there
 * @property {number} gateways
 * @property {number} consumers
 * @property {number} workers
 */

/** @type {Record<string, number>} */
const DEFAULT_PORTS = {
  GATEWAY_PORT: 8080,
  API_PORT: 8081,
  KAFKA_PORT: 19092,
  POSTGRES_PORT: 15432,
  REDIS_PORT: 16379,
};

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 * @throws {StackError} naming the variable that is wrong
 */
export function readSettings(env) {
  const given = {
    kafkaBrokers: env['KAFKA_BROKERS'] || undefined,
    databaseUrl: env['DATABASE_URL'] || undefined,
    redisUrl: env['REDIS_URL'] || undefined,
  };
  const port = (/** @type {string} */ name) => integer(env, name, DEFAULT_PORTS[name] ?? 0, 1, 65_535);
  return Object.freeze({
    dataDir: resolve(ROOT, env['HOPCOUNT_DATA_DIR'] || '.data'),
    ports: {
      gateway: port('GATEWAY_PORT'),
      api: port('API_PORT'),
      kafka: port('KAFKA_PORT'),
      postgres: port('POSTGRES_PORT'),
      redis: port('REDIS_PORT'),
    },
    given,
    proxyPorts: {
      kafka: proxyPort(env, 'KAFKA_PROXY_PORT'),
      postgres: proxyPort(env, 'POSTGRES_PROXY_PORT'),
      redis: proxyPort(env, 'REDIS_PROXY_PORT'),
    },
    gateways: integer(env, 'GATEWAYS', 1, 1, 64),
    consumers: integer(env, 'CONSUMERS', 1, 1, 64),
    workers: integer(env, 'WORKERS', 1, 1, 16),
  });
}

/**
 * The ports this stack will listen on itself, by the variable that sets each.
 * @param {Settings} settings
 * @returns {[string, number][]}
 */
export function ownPorts({ ports, given }) {
  /** @type {[string, number][]} */
  const own = [
    ['GATEWAY_PORT', ports.gateway],
    ['API_PORT', ports.api],
  ];
  if (!given.kafkaBrokers) own.push(['KAFKA_PORT', ports.kafka]);
  if (!given.databaseUrl) own.push(['POSTGRES_PORT', ports.postgres]);
  if (!given.redisUrl) own.push(['REDIS_PORT', ports.redis]);
  return own;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 */
function proxyPort(env, name) {
  return env[name] ? integer(env, name, 0, 1, 65_535) : undefined;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @param {number} fallback
 * @param {number} min
 * @param {number} max
 */
function integer(env, name, fallback, min, max) {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new StackError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}
