// @ts-check
// npm test: sets up what it needs (own ports, own data, removed afterwards), then runs the unit and
// integration tests against real services, then the whole-system tests, each on stacks of their own.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

import { StackError } from './output.mjs';
import { installChromium } from './prerequisites.mjs';
import { readSettings } from './settings.mjs';
import { filesOf, removeDataDir } from './stack-file.mjs';
import { build, IN_BAND, jest } from './test-jest.mjs';
import { runMachines } from './test-machines.mjs';
import { environmentOn, startServices } from './test-services.mjs';

/** @typedef {import('./test-services.mjs').Services} Services */

const NO_CHROMIUM =
  "SKIPPED: everything in a browser, Shlink's web component with it: there is no Chromium (Debian and Ubuntu: apt-get install chromium).";
const HELP = `npm test                      every test, on services of its own (Kafka, PostgreSQL, Redis)
                              and in Chromium, which is installed when missing and root
npm test -- <pattern> …       only test files whose path matches; any Jest option works, too
npm run test:machines         on services of several nodes each, which are killed: not part of npm test
npm run test:machines -- --redis-specs   of them: the specs of one Redis, on a cluster
npm run test:machines -- --short   two minutes of them, without Debian's packages: part of .ci/run
KAFKA_BROKERS, DATABASE_URL, REDIS_URL: test against services that already run.`;

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
  const env = environmentOn(services);
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
