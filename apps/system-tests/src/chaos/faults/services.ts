import { setTimeout as sleep } from 'node:timers/promises';

import { flushRedis, flushScripts } from '../../harness/redis.js';
import type { ProcessKind } from '../../harness/stack.js';
import type { Fault, Proof } from '../fault.js';
import type { World } from '../world.js';
import { pauseProcesses, pidsOf } from './processes.js';

type Watch = (world: World) => Promise<() => Promise<number>>;

const spooled: Watch = ({ counters }) => counters.since('hopcount_visits_accepted_total', { path: 'spool' });
const redisFailures: Watch = async ({ counters }) => {
  const [failed, skipped] = [
    await counters.since('hopcount_redis_failures_total'),
    await counters.since('hopcount_redis_skipped_total'),
  ];
  return async () => (await failed()) + (await skipped());
};
/** Of commits, and of jobs: in the middle of a rebalance there is no commit to fail. */
const databaseFailures: Watch = async ({ counters }) => {
  const commits = await counters.since('hopcount_batch_retries_total');
  const jobs = await counters.since('hopcount_job_runs_total', { outcome: 'failed' });
  return async () => (await commits()) + (await jobs());
};

/** A service stopped in order, away for a while, and started again on its data. */
function away(name: string, rows: string[], kind: ProcessKind, ms: number, watch: Watch, what: string): Fault {
  return {
    name,
    rows,
    topology: 'single',
    inject: async (world) => {
      const seen = await watch(world);
      await world.stack.hold(kind);
      await sleep(ms);
      return { heal: () => world.stack.resume(kind), proof: async () => ({ what, count: await seen() }) };
    },
  };
}

/** A service that accepts connections and answers nothing for a while. */
function deaf(name: string, rows: string[], kind: ProcessKind, ms: number, watch: Watch, what: string): Fault {
  return {
    name,
    rows,
    topology: 'single',
    inject: async (world) => {
      const seen = await watch(world);
      await pauseProcesses(await pidsOf(world, kind), ms);
      return { proof: async () => ({ what, count: await seen() }) };
    },
  };
}

const REDIS_PROOF = 'commands Redis did not answer or was not asked';
const SPOOL_PROOF = 'visits answered from the spool';

function once(name: string, rows: string[], act: (world: World) => Promise<Proof>): Fault {
  return {
    name,
    rows,
    inject: async (world) => {
      const proof = await act(world);
      return { proof: () => Promise.resolve(proof) };
    },
  };
}

export const SERVICE_FAULTS: Fault[] = [
  away('stop-broker', ['F10', 'F11'], 'kafka', 6_000, spooled, SPOOL_PROOF),
  deaf('deaf-broker', ['F10', 'F11'], 'kafka', 6_000, spooled, SPOOL_PROOF),
  away('stop-redis', ['F14'], 'redis', 5_000, redisFailures, REDIS_PROOF),
  deaf('slow-redis', ['F15'], 'redis', 3_000, redisFailures, REDIS_PROOF),
  once('flush-redis', ['F14'], async ({ stack }) => ({
    what: 'keys forgotten by Redis',
    count: await flushRedis(stack.file.redisUrl),
  })),
  once('flush-scripts', ['F16'], async ({ stack }) => ({
    what: 'EVALSHA answered NOSCRIPT',
    count: await flushScripts(stack.file.redisUrl),
  })),
  away('stop-postgres', ['F17'], 'postgres', 4_000, databaseFailures, 'commits done again and jobs that failed'),
];
