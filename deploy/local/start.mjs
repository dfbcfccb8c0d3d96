// @ts-check
// npm start: the whole of Hopcount on this machine, from a fresh clone. Uses nothing but Node itself.
import { fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { StackError, tail } from './output.mjs';
import { openLog, signalProcess, waitUntil } from './processes.mjs';
import { isNodeNewEnough, NODE_MAJOR, readSettings } from './settings.mjs';
import { filesOf, prepareDataDir, readJson, runningSupervisor, setHeld } from './stack-file.mjs';

const KINDS = ['gateway', 'consumer', 'worker', 'api', 'kafka', 'postgres', 'redis'];
const RESUME_TIMEOUT_MS = 120_000;
const HELP = `npm start                 starts Kafka, PostgreSQL, Redis, gateway, consumer, worker and api; Ctrl-C stops them
npm start -- --detach     the same in the background; returns once all is ready (npm stop ends it)
npm start -- <kind>       starts one kind again that npm stop -- <kind> holds (${KINDS.join(', ')})
npm run dev               rebuilds and restarts the apps on every change

Environment: GATEWAY_PORT 8080, API_PORT 8081, KAFKA_PORT 19092, POSTGRES_PORT 15432, REDIS_PORT 16379,
HOPCOUNT_DATA_DIR .data, GATEWAYS 1, CONSUMERS 1, WORKERS 1, TRUSTED_PROXIES (CIDR list, default none);
KAFKA_BROKERS, DATABASE_URL, REDIS_URL use a service that runs elsewhere; KAFKA_HOME its jars.
KAFKA_PROXY_PORT, POSTGRES_PROXY_PORT, REDIS_PROXY_PORT: the apps reach the service through that port (fault suite).
Every other variable reaches the apps as it is (LOG_LEVEL, CODE_STRATEGY, GEO_DATABASES, …).`;

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}

function requireNode() {
  if (isNodeNewEnough()) return;
  throw new StackError(
    `Hopcount needs Node ${NODE_MAJOR} or newer; this is ${process.versions.node}: npm start brings it.`,
  );
}

/**
 * @param {{detach: boolean, watch: boolean}} mode
 * @param {string} dataDir
 * @returns {Promise<number>} exit code
 */
async function startStack(mode, dataDir) {
  const other = runningSupervisor(dataDir);
  if (other) {
    throw new StackError(`A stack already runs on ${dataDir} (pid ${other.pid}); npm stop ends it.`);
  }
  prepareDataDir(dataDir);
  const log = join(filesOf(dataDir).logs, 'supervisor.log');
  const output = openLog(log);
  const script = join(fileURLToPath(new URL('.', import.meta.url)), 'supervise.mjs');
  const args = [mode.detach ? '--detached' : '', mode.watch ? '--watch' : ''].filter(Boolean);
  const supervisor = fork(script, args, { detached: true, execArgv: [], stdio: ['ignore', output, output, 'ipc'] });
  closeSync(output);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => supervisor.kill('SIGTERM'));
  }
  return await new Promise((resolve) => {
    let failed = false;
    supervisor.on('message', (/** @type {{line?: string, ready?: object, failed?: string}} */ message) => {
      if (message.line !== undefined) print(message.line);
      if (message.failed !== undefined) {
        failed = true;
        process.stderr.write(`\n${message.failed}\n`);
      }
      if (message.ready && mode.detach) {
        print(`Runs in the background (pid ${String(supervisor.pid)}); npm stop ends it.`);
        supervisor.disconnect();
        supervisor.unref();
        resolve(0);
      } else if (message.ready) print('Ctrl-C stops everything.');
    });
    supervisor.once('exit', (code, signal) => {
      if (code !== 0 && !failed) {
        process.stderr.write(`\nThe supervisor ended (${String(signal ?? code)}). The end of ${log}:\n${tail(log)}\n`);
      }
      resolve(code ?? 1);
    });
  });
}

/**
 * @param {string[]} kinds
 * @param {string} dataDir
 */
async function resume(kinds, dataDir) {
  const supervisor = runningSupervisor(dataDir);
  if (!supervisor) throw new StackError(`No stack runs on ${dataDir}; npm start starts one.`);
  for (const kind of kinds) setHeld(dataDir, kind, false);
  signalProcess(supervisor.pid, 'SIGUSR2');
  const areBack = () => {
    const stack = /** @type {{processes: Record<string, number[]>} | undefined} */ (readJson(filesOf(dataDir).stack));
    return kinds.every((kind) => (stack?.processes[kind] ?? []).length > 0);
  };
  if (!(await waitUntil(areBack, RESUME_TIMEOUT_MS))) {
    throw new StackError(`${kinds.join(', ')} did not come back within ${RESUME_TIMEOUT_MS / 1000} s.`);
  }
  print(`${kinds.join(', ')} runs again.`);
}

async function main() {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) return print(HELP);
  const unknown = args.find((arg) => !['--detach', '--watch', ...KINDS].includes(arg));
  if (unknown) throw new StackError(`Unknown argument ${unknown}.\n\n${HELP}`);
  requireNode();
  const { dataDir } = readSettings(process.env);
  const kinds = args.filter((arg) => KINDS.includes(arg));
  if (kinds.length > 0) return await resume(kinds, dataDir);
  const mode = { detach: args.includes('--detach'), watch: args.includes('--watch') };
  process.exitCode = await startStack(mode, dataDir);
  return undefined;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StackError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
