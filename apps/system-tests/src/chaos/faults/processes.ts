import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '@hopcount/testing';

import { pick } from '../../harness/random.js';
import { flushRedis } from '../../harness/redis.js';
import type { ProcessKind } from '../../harness/stack.js';
import type { Fault } from '../fault.js';
import type { World } from '../world.js';

/** Of the stack's own; those of several nodes run beside it. */
const SERVICES: readonly ProcessKind[] = ['kafka', 'postgres', 'redis'];
export const BACK_WITHIN_MS = 90_000;

/** Pids of a kind as they are now. */
export async function pidsOf({ stack }: World, kind: ProcessKind): Promise<number[]> {
  return (await stack.read()).processes[kind];
}

/** Of every broker. */
export async function brokerPids(world: World): Promise<number[]> {
  return world.nodes?.kafka.pids() ?? pidsOf(world, 'kafka');
}

/** Until as many processes of the kind run as before, and `gone` are not among them. */
export async function waitUntilReplaced(
  world: World,
  kind: ProcessKind,
  before: number[],
  gone: number[],
): Promise<void> {
  await waitUntil(
    async () => {
      const now = await pidsOf(world, kind);
      return now.length === before.length && gone.every((pid) => !now.includes(pid));
    },
    { timeoutMs: BACK_WITHIN_MS, everyMs: 100, describe: `${kind} runs again` },
  );
}

/** One gateway is killed and Redis forgets everything; until there are as many gateways as before. */
export async function loseGatewayAndRedis(world: World): Promise<void> {
  const replaced = await killGatewayAndFlushRedis(world);
  await replaced();
}

/** @returns waits until there are as many gateways as before */
export async function killGatewayAndFlushRedis(world: World): Promise<() => Promise<void>> {
  const gateways = await pidsOf(world, 'gateway');
  const gone = pick(world.random, gateways);
  process.kill(gone, 'SIGKILL');
  await flushRedis(world.stack.file.redisUrl);
  return () => waitUntilReplaced(world, 'gateway', gateways, [gone]);
}

/** One process, or all of a kind, ended by a signal; the supervisor starts it again. */
function endProcess(
  name: string,
  rows: string[],
  kind: ProcessKind,
  options: { signal?: NodeJS.Signals; all?: boolean; times?: number } = {},
): Fault {
  const { signal = 'SIGKILL', all = false, times = 1 } = options;
  return {
    name,
    rows,
    ...(SERVICES.includes(kind) && { topology: 'single' as const }),
    inject: async (world) => {
      let replaced = 0;
      for (let time = 0; time < times; time += 1) {
        const before = await pidsOf(world, kind);
        const gone = all ? before : [pick(world.random, before)];
        await sleep(world.random() * 500);
        for (const pid of gone) process.kill(pid, signal);
        await waitUntilReplaced(world, kind, before, gone);
        replaced += gone.length;
      }
      return { proof: () => Promise.resolve({ what: `${kind} processes replaced after ${signal}`, count: replaced }) };
    },
  };
}

/** Stopped for a while with SIGSTOP: alive for the kernel, deaf for everybody else. */
export async function pauseProcesses(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** The only copy of some visits is on the disk of processes that die. */
const killWhileSpooling: Fault = {
  name: 'kill-gateways-while-spooling',
  rows: ['F2'],
  inject: async (world) => {
    const brokers = await brokerPids(world);
    let spooled = 0;
    for (const pid of brokers) process.kill(pid, 'SIGSTOP');
    try {
      const accepted = await world.counters.since('hopcount_visits_accepted_total', { path: 'spool' });
      await waitUntil(async () => (spooled = await accepted()) > 50, {
        timeoutMs: 30_000,
        describe: '50 spooled visits',
      });
      const before = await pidsOf(world, 'gateway');
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await waitUntilReplaced(world, 'gateway', before, before);
    } finally {
      for (const pid of brokers) process.kill(pid, 'SIGCONT');
    }
    return {
      proof: () => Promise.resolve({ what: 'visits spooled by gateways that were then killed', count: spooled }),
    };
  },
};

export const PROCESS_FAULTS: Fault[] = [
  endProcess('kill-gateway', ['F1'], 'gateway'),
  endProcess('kill-all-gateways', ['F1', 'F2'], 'gateway', { all: true }),
  endProcess('terminate-gateways', ['F3'], 'gateway', { signal: 'SIGTERM', times: 3 }),
  killWhileSpooling,
  endProcess('kill-consumer', ['F4'], 'consumer'),
  endProcess('kill-all-consumers', ['F4'], 'consumer', { all: true }),
  endProcess('terminate-consumer', ['F4'], 'consumer', { signal: 'SIGTERM', times: 2 }),
  endProcess('kill-worker', ['F4'], 'worker'),
  endProcess('kill-broker', ['F11', 'F13'], 'kafka'),
  endProcess('crash-postgres', ['F17'], 'postgres', { signal: 'SIGQUIT' }),
  endProcess('kill-redis', ['F14'], 'redis'),
];
