// @ts-check
// npm run test:machines: tests of services of several nodes each, which bring all of them, and specs of one Redis on a cluster.
import { join } from 'node:path';

import { installPrograms, PATRONI_PROGRAMS } from './prerequisites.mjs';
import { build, IN_BAND, jest } from './test-jest.mjs';
import { environmentOn, startServices } from './test-services.mjs';

/** Of tests of several nodes: Debian's packages. */
const PROGRAMS = [
  ...PATRONI_PROGRAMS,
  { name: 'pgbackrest', runs: ['pgbackrest', 'version'] },
  ...['pgbouncer', 'prometheus', 'prometheus-alertmanager'],
];

/** Of those tests the ones that need nothing but what `npm start` needs: one and two of three brokers killed, a Redis master. */
const SHORT = ['kafka-brokers', 'redis-cluster', '-t', 'are killed|loses a master'];

/**
 * Specs that have a Redis of their own: on three masters and their replicas they hold as well. Not the one of a filter whose only server is
 * cut off on the way.
 */
const REDIS_SPECS = [
  ...['libs/redis/src', 'libs/links/src/(outbox|organise|resolution|store)', 'libs/links/src/filter/filter-view'],
  ...['apps/gateway/src', 'apps/consumer/src/visit-pipeline'],
  ...['apps/api/src/(limits|users|session|writers)', 'apps/api/src/hosts/host-batches'],
];

/**
 * They bring their own services, all of them.
 * @param {string} folder
 * @param {string[]} args
 */
export async function runMachines(folder, args) {
  const skipped = /** @type {string[]} */ ([]);
  if (!(await build())) return { passed: 0, failed: 1, skipped };
  if (args.includes('--redis-specs')) return { ...(await runOnCluster(folder)), skipped };
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  const isShort = args.includes('--short');
  if (!isShort) await installPrograms(PROGRAMS, process.env, say, join(folder, 'programs.log'));
  const chosen = isShort ? SHORT : args;
  const own = await jest(['machines'], chosen, process.env, join(folder, 'machines.json'), IN_BAND);
  const isAll = args.length === 0 && !process.exitCode;
  const onCluster = isAll ? await runOnCluster(folder) : { passed: 0, failed: 0 };
  return { passed: own.passed + onCluster.passed, failed: own.failed + onCluster.failed, skipped };
}

/** @param {string} folder */
async function runOnCluster(folder) {
  const { services, stop } = await startServices(folder);
  try {
    const env = { ...environmentOn(services), TEST_REDIS: 'cluster' };
    return await jest(['integration'], REDIS_SPECS, env, join(folder, 'on-cluster.json'));
  } finally {
    await stop();
  }
}
