// @ts-check
// Hopcount's own processes: how each is started and how it says that it is ready.
import cluster from 'node:cluster';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { NODE_FLAGS } from './node-flags.mjs';
import { freePort } from './ports.mjs';
import { ROOT } from './settings.mjs';

const READY_TIMEOUT_MS = 60_000;
/** Longer than the apps' own shutdown deadline, so that SIGKILL only meets one that hangs. */
const STOP_GRACE_MS = 30_000;

/** From the gateway's port on. Tests give each Jest worker every sixteenth port: stacks of two workers never want the same. */
const OPS_PORTS_FROM = 1_008;
const OPS_PORTS_APART = 16;

/**
 * @typedef {'gateway' | 'consumer' | 'worker' | 'api'} App
 * @typedef {{databaseUrl: string, redisUrl: string, kafkaBrokers: string, secret: string}} Addresses
 */

/**
 * The environment of every app: the user's own, so that any setting can be given to `npm start`, and
 * on top what the stack decides.
 * @param {import('./settings.mjs').Settings} settings
 * @param {Addresses} addresses
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function appEnvironment(settings, addresses, env) {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PUBLIC_SCHEME: 'http',
    DEFAULT_DOMAIN: `localhost:${settings.ports.gateway}`,
    SPOOL_DIR: join(settings.dataDir, 'spool'),
    ARCHIVE_URL: join(settings.dataDir, 'archive'),
    ARCHIVE_CACHE: join(settings.dataDir, 'archive-cache'),
    ...env,
    GATEWAY_PORT: String(settings.ports.gateway),
    API_PORT: String(settings.ports.api),
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    KAFKA_BROKERS: addresses.kafkaBrokers,
    HOPCOUNT_SECRET: addresses.secret,
  };
}

/** @param {string} name */
export function appMain(name) {
  return join(ROOT, 'apps', name, 'dist/bundle.js');
}

/**
 * @param {import('./settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 * @param {string} logs folder
 * @returns {Promise<{specs: import('./child.mjs').ChildSpec[], opsUrls: Record<App, string[]>}>}
 */
export async function describeApps(settings, env, logs) {
  mkdirSync(/** @type {string} */ (env['SPOOL_DIR']), { recursive: true, mode: 0o700 });
  const { ports, gateways, consumers, workers } = settings;
  const taken = new Set(Object.values(ports));
  let opsPort = ports.gateway + OPS_PORTS_FROM;
  /** @type {import('./child.mjs').ChildSpec[]} */
  const specs = [];
  /** @param {App} kind @param {number} count */
  const several = async (kind, count) => {
    const urls = [];
    for (let index = 1; index <= count; index += 1) {
      const port = await freePort(opsPort, taken);
      opsPort += OPS_PORTS_APART;
      taken.add(port);
      const url = `http://127.0.0.1:${port}`;
      urls.push(url);
      const name = nameOf(kind, index, count);
      const own = { ...databaseOf(kind, env), PROCESS_NAME: name, OPS_PORT: String(port) };
      const spec = app(kind, name, { ...env, ...own }, logs, url);
      specs.push(kind === 'gateway' && count > 1 ? asClusterWorker(spec) : spec);
    }
    return urls;
  };
  const opsUrls = {
    api: await several('api', 1),
    gateway: await several('gateway', gateways),
    consumer: await several('consumer', consumers),
    worker: await several('worker', workers),
  };
  return { specs, opsUrls };
}

/**
 * Consumers may have a role of their own, whose commits wait for no standby (docs/operations/failover.md).
 * @param {App} kind
 * @param {NodeJS.ProcessEnv} env
 */
function databaseOf(kind, env) {
  const url = env['CONSUMER_DATABASE_URL'];
  return kind === 'consumer' && url ? { DATABASE_URL: url } : {};
}

/**
 * @param {string} name
 * @param {number} index
 * @param {number} count
 */
function nameOf(name, index, count) {
  return count === 1 ? name : `${name}-${index}`;
}

/**
 * @param {App} kind
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @param {string} logs
 * @param {string} opsUrl
 * @returns {import('./child.mjs').ChildSpec}
 */
function app(kind, name, env, logs, opsUrl) {
  return {
    name,
    kind,
    command: process.execPath,
    args: [...NODE_FLAGS, appMain(kind)],
    env,
    cwd: ROOT,
    log: join(logs, `${name}.log`),
    isReady: () => says(`${opsUrl}/readyz`),
    // After a restart it may have to wait for a service that is away, too: being alive is enough.
    isBack: () => says(`${opsUrl}/livez`),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopSignal: 'SIGTERM',
    stopGraceMs: STOP_GRACE_MS,
  };
}

/**
 * Several gateways share one port: the supervisor is the primary of their node:cluster, so each
 * worker is a child like any other, with its own pid, restart and log.
 * @param {import('./child.mjs').ChildSpec} spec
 * @returns {import('./child.mjs').ChildSpec}
 */
function asClusterWorker(spec) {
  return {
    ...spec,
    launch: (log) => {
      cluster.setupPrimary({
        exec: spec.args.at(-1),
        execArgv: NODE_FLAGS,
        args: [],
        cwd: ROOT,
        stdio: ['ignore', log, log, 'ipc'],
      });
      return cluster.fork(spec.env).process;
    },
  };
}

/** @param {string} url */
async function says(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // It does not answer yet: the caller asks again until its deadline.
    return false;
  }
}
