// @ts-check
// npm test: sets up what it needs (own ports, own data, removed afterwards), then runs the unit and
// integration tests against real services, then the whole-system tests, each on stacks of their own.
import { fork, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { StackError } from './output.mjs';
import { freePort } from './ports.mjs';
import { installChromium, installPrograms } from './prerequisites.mjs';
import { ROOT, readSettings } from './settings.mjs';
import { filesOf, readJson, removeDataDir } from './stack-file.mjs';

const NO_CHROMIUM =
  "SKIPPED: everything in a browser, Shlink's web component with it: there is no Chromium (Debian and Ubuntu: apt-get install chromium).";
const HELP = `npm test                      every test, on services of its own (Kafka, PostgreSQL, Redis)
                              and in Chromium, which is installed when missing and root
npm test -- <pattern> …       only test files whose path matches; any Jest option works, too
npm run test:machines         on services of several nodes each, which are killed: not part of npm test
npm run test:machines -- --short   two minutes of them, without Debian's packages: part of .ci/run
KAFKA_BROKERS, DATABASE_URL, REDIS_URL: test against services that already run.`;

/** Of tests of several nodes: Debian's packages. */
const PROGRAMS = [
  ...['pgbouncer', 'pgbackrest', 'patroni'],
  { name: 'haproxy', runs: ['haproxy', '-v'] },
  'prometheus',
  'prometheus-alertmanager',
  { name: 'etcd-server', runs: ['etcd', '--version'] },
  { name: 'postgresql', runs: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/pg_rewind'] },
];

/** Of those tests the ones that need nothing but what `npm start` needs: one and two of three brokers killed, a Redis master. */
const SHORT = ['kafka-brokers', 'redis-cluster', '-t', 'are killed|loses a master'];

/** @typedef {{kafkaBrokers: string, databaseUrl: string, redisUrl: string}} Services */

/**
 * Each spec file loads its modules anew, which with Node's 16 MB are collected again and again: a fifth of the processor
 * time of a run.
 */
const YOUNG_HEAP = '--max-semi-space-size=32';

/** In this order and one at a time; what a file left open (a timer, a socket) must not keep the run for ever. */
const IN_BAND = ['--runInBand', '--forceExit'];

/** What has to be ended when the run is interrupted. @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    process.exitCode = 130;
    for (const child of children) child.kill('SIGTERM');
  });
}

/** What a run leaves there at most, and what the machine keeps besides. */
const MEMORY_BYTES = 12 * 1024 ** 3;

/**
 * Memory where there is plenty: a test database is 750 files, which took a disk 0.6 s of processor time. Nothing here is
 * asked to survive the machine.
 */
function fastFolder() {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  if (Math.min(bavail * bsize, availableMemory()) < MEMORY_BYTES) return tmpdir();
  return memory;
}

/** Without what the system can take back from its caches it looks full. */
function availableMemory() {
  const line = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
  return line ? Number(line[1]) * 1024 : freemem();
}

/** A folder PostgreSQL's user may pass through: mkdtemp makes it 0700. Those of runs that were killed go first. */
function temporaryFolder() {
  const base = fastFolder();
  for (const name of readdirSync(base)) {
    const pid = /^hopcount-test-(\d+)-\w+$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) removeDataDir(join(base, name));
  }
  const folder = mkdtempSync(join(base, `hopcount-test-${process.pid}-`));
  chmodSync(folder, 0o711);
  return folder;
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/**
 * @param {string} dataDir
 * @returns {Promise<{services: Services, stop: () => Promise<void>}>}
 */
async function startServices(dataDir) {
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

/**
 * @param {string[]} args of node
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} exit code
 */
function node(args, env) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  children.add(child);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      children.delete(child);
      resolve(code ?? 1);
    });
  });
}

/**
 * @param {string[]} projects
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} resultFile
 * @param {string[]} [options]
 * @returns {Promise<{passed: number, failed: number}>}
 */
async function jest(projects, args, env, resultFile, options = []) {
  const code = await node(
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', YOUNG_HEAP],
      'node_modules/jest/bin/jest.js',
      ...['--selectProjects', ...projects, '--json', `--outputFile=${resultFile}`, ...options],
      // A pattern need not be of every project; a whole run without a test is none.
      ...(args.length > 0 ? ['--passWithNoTests', ...args] : []),
    ],
    env,
  );
  /** @typedef {{numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number}} Result */
  const result = /** @type {Result | undefined} */ (readJson(resultFile));
  if (!result) return { passed: 0, failed: 1 };
  // A file that does not even load holds tests nobody could count: it is one failure.
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

async function build() {
  if ((await node(['deploy/local/build.mjs'], process.env)) === 0) return true;
  process.stderr.write('The build failed: nothing could be tested.\n');
  return false;
}

/**
 * They bring their own services, all of them.
 * @param {string} folder
 * @param {string[]} args
 */
async function runMachines(folder, args) {
  if (!(await build())) return { passed: 0, failed: 1, skipped: [] };
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  const isShort = args.includes('--short');
  if (!isShort) await installPrograms(PROGRAMS, process.env, say, join(folder, 'programs.log'));
  const chosen = isShort ? SHORT : args;
  const result = await jest(['machines'], chosen, process.env, join(folder, 'machines.json'), IN_BAND);
  return { ...result, skipped: [] };
}

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {(stop: (() => Promise<void>) | undefined) => void} toStop what an interrupted run has to end
 */
async function runOnServices(folder, args, toStop) {
  const { services, stop } = await startServices(folder);
  toStop(stop);
  return runTests(folder, args, services, async () => {
    toStop(undefined);
    await stop();
  });
}

/** One file of a lib needs no browser to be installed first. @param {string[]} args */
function takesBrowser(args) {
  return args.length === 0 || args.some((arg) => /web-client|e2e|system-tests/.test(arg));
}

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {Services} services
 * @param {() => Promise<void>} stopServices
 */
async function runTests(folder, args, services, stopServices) {
  const env = {
    ...process.env,
    KAFKA_BROKERS: services.kafkaBrokers,
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    // Our own broker lets a consumer that was killed go sooner.
    ...(process.env['KAFKA_BROKERS'] === undefined && { TEST_SESSION_TIMEOUT_MS: '3000' }),
  };
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  // Integration tests start built processes, too: what they kill must be a process of its own.
  const [isBuilt, hasChromium] = await Promise.all([
    build(),
    takesBrowser(args) ? installChromium(process.env, say, join(folder, 'chromium.log')) : true,
  ]);
  if (!isBuilt) return { passed: 0, failed: 1, skipped: [] };
  const skipped = hasChromium ? [] : [NO_CHROMIUM];
  const near = await jest(['unit', 'integration'], args, env, join(folder, 'near.json'));
  // The whole-system tests bring their own services: two cores need not carry these, too.
  await stopServices();
  if (process.exitCode) return { passed: near.passed, failed: near.failed + 1, skipped };
  const whole = await jest(['e2e'], args, process.env, join(folder, 'whole.json'));
  if (process.exitCode) return { passed: near.passed + whole.passed, failed: near.failed + whole.failed + 1, skipped };
  const alone = await jest(['alone'], args, process.env, join(folder, 'alone.json'), IN_BAND);
  const all = [near, whole, alone];
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped,
  };
}

/**
 * Of a session that ended by a crash, a signal or foreign bytes, a test sees no more than a closed socket.
 * @param {string} dataDir
 */
function printLostSessions(dataDir) {
  const log = join(filesOf(dataDir).logs, 'postgres.log');
  const telling =
    /PANIC|terminated by signal|in recovery|not properly shut down|startup packet|invalid frontend message|could not fork/;
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  const found = lines.filter((line) => telling.test(line)).slice(0, 50);
  if (found.length > 0) process.stdout.write(`From PostgreSQL's log, sessions that were lost:\n${found.join('\n')}\n`);
}

async function main() {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) return process.stdout.write(`${HELP}\n`);
  readSettings(process.env);
  // A broker of a test ends before the second compiler's work pays: half of the processor time of a start.
  process.env['JAVA_TOOL_OPTIONS'] ??= '-XX:TieredStopAtLevel=1';
  const folder = temporaryFolder();
  // Where the tests' own stacks have their data.
  process.env['TMPDIR'] = folder;
  /** @type {(() => Promise<void>) | undefined} */
  let stop;
  try {
    const { passed, failed, skipped } = args.includes('--machines')
      ? await runMachines(
          folder,
          args.filter((arg) => arg !== '--machines'),
        )
      : await runOnServices(folder, args, (running) => (stop = running));
    process.exitCode ||= failed > 0 ? 1 : 0;
    if (failed > 0) printLostSessions(folder);
    for (const line of skipped) process.stdout.write(`${line}\n`);
    return process.stdout.write(`${passed} passed, ${failed} failed\n`);
  } finally {
    await stop?.();
    removeDataDir(folder);
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StackError)) throw error;
  process.stderr.write(`${error.message}\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}
