// @ts-check
// Java, Maven and redis-server: looked for only when the stack has to run that service itself,
// installed with apt-get where that is possible, otherwise asked for in one sentence.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { StackError, step } from './output.mjs';
import { run } from './processes.mjs';
import { kafkaJars } from './services/kafka-jars.mjs';

const MIN_JAVA = 17;
/** Newest first would pull in more than needed: 17 is what Kafka 4.1 asks for. */
const JAVA_PACKAGES = ['openjdk-17-jre-headless', 'openjdk-21-jre-headless', 'default-jre-headless'];
const POLICY_FILE = '/usr/sbin/policy-rc.d';

/** @typedef {{name: string, packages: string[], instead: string}} Missing */

/** The `java` to use. @param {NodeJS.ProcessEnv} env */
export function javaCommand(env) {
  return env['JAVA_HOME'] ? join(env['JAVA_HOME'], 'bin/java') : 'java';
}

/**
 * @param {import('./settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./output.mjs').Say} say
 * @param {string} log
 * @throws {StackError} saying what to install
 */
export async function requirePrerequisites(settings, env, say, log) {
  const missing = findMissing(settings, env);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  if (!canInstall()) throw new StackError(request(missing));
  await step(say, `installing with apt-get: ${names}`, () => aptInstall(missing, env, log));
  const still = findMissing(settings, env);
  if (still.length > 0) throw new StackError(request(still));
}

/**
 * @param {import('./settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 * @returns {Missing[]}
 */
function findMissing({ given }, env) {
  /** @type {Missing[]} */
  const missing = [];
  if (!given.kafkaBrokers) {
    if (javaVersion(env) < MIN_JAVA) {
      missing.push({ name: `Java ${MIN_JAVA} or newer`, packages: JAVA_PACKAGES, instead: 'KAFKA_BROKERS' });
    }
    if (kafkaJars(env) === undefined && !runs('mvn', ['-v'], env)) {
      missing.push({ name: 'Maven', packages: ['maven'], instead: 'KAFKA_BROKERS' });
    }
  }
  if (!given.redisUrl && !runs('redis-server', ['--version'], env)) {
    missing.push({ name: 'redis-server', packages: ['redis-server'], instead: 'REDIS_URL' });
  }
  return missing;
}

/**
 * For the tests that drive a browser; without one they are skipped.
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./output.mjs').Say} say
 * @param {string} log
 * @returns {Promise<boolean>} whether there is one now
 */
export async function installChromium(env, say, log) {
  const isThere = () => runs('chromium', ['--version'], env);
  if (isThere()) return true;
  if (!canInstall()) return false;
  const chromium = { name: 'Chromium', packages: ['chromium'], instead: '' };
  // The step prints it; Chromium is optional.
  await step(say, 'installing with apt-get: Chromium', () => aptInstall([chromium], env, log)).catch(() => undefined);
  return isThere();
}

/** Debian's packages of PostgreSQL with a standby under Patroni behind HAProxy. */
export const PATRONI_PROGRAMS = [
  'patroni',
  { name: 'haproxy', runs: ['haproxy', '-v'] },
  { name: 'etcd-server', runs: ['etcd', '--version'] },
  { name: 'postgresql', runs: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/pg_rewind'] },
];

/**
 * What only tests of several nodes need. @throws {StackError} when it is neither there nor to be installed
 * @param {readonly (string | {name: string, runs: string[]})[]} packages each with a program of its name, or with how it is seen to be there
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} say
 * @param {string} log
 */
export async function installPrograms(packages, env, say, log) {
  const wanted = packages.map((one) => (typeof one === 'string' ? { name: one, runs: [one, '--version'] } : one));
  const missing = wanted
    .filter(({ runs: [program = '', ...args] }) => !runs(program, args, env))
    .map(({ name }) => name);
  if (missing.length === 0) return;
  if (!canInstall()) throw new StackError(`These tests need ${missing.join(', ')}: please install them.`);
  const lacking = missing.map((name) => ({ name, packages: [name], instead: '' }));
  await step(say, `installing with apt-get: ${missing.join(', ')}`, () => aptInstall(lacking, env, log));
}

/**
 * @param {Missing[]} missing
 */
function request(missing) {
  const names = missing.map(({ name }) => name).join(' and ');
  const packages = missing.map((one) => (one.packages === JAVA_PACKAGES ? 'default-jre-headless' : one.packages[0]));
  const instead = [...new Set(missing.map(({ instead }) => instead))].join(' and ');
  return `Hopcount's local stack needs ${names}: please install (on Debian or Ubuntu: apt-get install ${packages.join(' ')}) or point it at a running service with ${instead}.`;
}

/** @param {NodeJS.ProcessEnv} env */
function javaVersion(env) {
  const { status, stderr } = spawnSync(javaCommand(env), ['-version'], { encoding: 'utf8', env });
  if (status !== 0) return 0;
  const [, major, minor] = /version "(\d+)(?:\.(\d+))?/.exec(stderr) ?? [];
  return Number(major === '1' ? minor : major) || 0;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function runs(command, args, env) {
  return spawnSync(command, args, { stdio: 'ignore', env }).status === 0;
}

function canInstall() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

/**
 * @param {Missing[]} missing
 * @param {NodeJS.ProcessEnv} env
 * @param {string} log
 */
async function aptInstall(missing, env, log) {
  const apt = { log, env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } };
  // One unreachable repository fails the update; what is needed may be known all the same.
  await run('apt-get', ['update', '-q'], apt).catch(() => undefined);
  const packages = missing.map(({ packages }) => packages.find((name) => isAvailable(name)) ?? packages[0] ?? '');
  // Debian starts a service as soon as it is installed. We want the program, not a Redis on 6379; a
  // service that already runs is not asked and not touched.
  const forbidden = !existsSync(POLICY_FILE);
  if (forbidden) writeFileSync(POLICY_FILE, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], apt);
  } finally {
    if (forbidden) rmSync(POLICY_FILE, { force: true });
  }
}

/** @param {string} name */
function isAvailable(name) {
  const { status, stdout } = spawnSync('apt-cache', ['show', name], { encoding: 'utf8' });
  return status === 0 && stdout.includes('Package:');
}
