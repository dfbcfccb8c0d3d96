import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePorts, waitUntil } from '@hopcount/testing';

import { environmentOf } from '../../harness/environment-of.js';
import { call } from '../../harness/http.js';
import { pick } from '../../harness/random.js';
import type { Fault } from '../fault.js';
import { SESSION_TIMEOUT_MS } from '../world.js';
import { pauseProcesses, pidsOf } from './processes.js';

const STORM_STEPS = 6;
/** Longest life of one as a member of the group. */
const STORM_STEP_MS = 3_000;
const CONSUMER = join(process.cwd(), 'apps/consumer/dist/bundle.js');

/** A third consumer joins and goes within three seconds, over and over; every other time it is killed. */
const rebalanceStorm: Fault = {
  name: 'rebalance-storm',
  rows: ['F6'],
  inject: async (world) => {
    const rebalances = await world.counters.since('hopcount_kafka_consumer_rebalances_total');
    const [pid = 0] = await pidsOf(world, 'consumer');
    const env = environmentOf(pid);
    for (let step = 0; step < STORM_STEPS; step += 1) {
      const [port = 0] = await freePorts(1);
      const child = spawn(process.execPath, [CONSUMER], {
        env: { ...env, OPS_PORT: String(port), PROCESS_NAME: 'consumer-storm' },
        stdio: 'ignore',
      });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      await waitUntilReady(`http://127.0.0.1:${port}`);
      await sleep(world.random() * STORM_STEP_MS);
      child.kill(step % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
      await gone;
    }
    return { proof: async () => ({ what: 'rebalances', count: await untilAny(rebalances) }) };
  },
};

async function waitUntilReady(url: string): Promise<void> {
  await waitUntil(async () => (await call(`${url}/readyz`)).status === 200, {
    timeoutMs: 60_000,
    everyMs: 100,
    describe: 'the third consumer has joined',
  });
}

/** Counters are read every so often, and a busy process may miss a reading. */
async function untilAny(count: () => Promise<number>): Promise<number> {
  await waitUntil(async () => (await count()) > 0, { timeoutMs: 30_000, describe: 'a rebalance' });
  return count();
}

/** A consumer that is paused until its partitions are somebody else's, then goes on where it was. */
const zombie: Fault = {
  name: 'zombie-consumer',
  rows: ['F5'],
  inject: async (world) => {
    const pid = pick(world.random, await pidsOf(world, 'consumer'));
    const rebalances = await world.counters.since('hopcount_kafka_consumer_rebalances_total');
    await pauseProcesses([pid], 2 * SESSION_TIMEOUT_MS);
    return {
      // The others took its partitions over; it woke up with batches of a membership it no longer had.
      proof: async () => ({
        what: 'rebalances while a consumer was paused, and after',
        count: await untilAny(rebalances),
      }),
    };
  },
};

export const CONSUMER_FAULTS: Fault[] = [rebalanceStorm, zombie];
