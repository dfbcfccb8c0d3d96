import { setTimeout as sleep } from 'node:timers/promises';

import { VISITS_TOPIC } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { Kafka, logLevel } from 'kafkajs';

import type { Member } from '../../harness/patroni-cluster.js';
import { pick } from '../../harness/random.js';
import type { Fault, Injection } from '../fault.js';
import type { Nodes } from '../services.js';
import type { World } from '../world.js';
import { pidsOf, waitUntilReplaced } from './processes.js';

const AWAY_MS = 4_000;
const SPOOLED = 50;
const SPOOLS_WITHIN_MS = 60_000;
/** Of Patroni's ttl and of a promotion, on two processors. */
const PROMOTED_WITHIN_MS = 120_000;
const FOLLOWS_WITHIN_MS = 180_000;
/** Of three Redis masters, which share these keys. */
const KEYS = ['{link-locks}', '{a}', '{b}', '{c}', '{d}'];

/** A fault of some nodes of several. */
function ofNodes(name: string, rows: string[], inject: (world: World, nodes: Nodes) => Promise<Injection>): Fault {
  return {
    name,
    rows,
    topology: 'replicated',
    inject: (world) => {
      if (world.nodes === undefined) throw new Error(`${name} is a fault of --topology replicated`);
      return inject(world, world.nodes);
    },
  };
}

/** One that leads some partitions: after others were killed it may be none. */
const killBroker = ofNodes('kill-one-broker', ['F11', 'F13'], async ({ random, stack }, { kafka }) => {
  const leaders = () => leadersOf(stack.file.kafkaBrokers);
  const broker = pick(random, await leaders());
  const led = async () => (await leaders()).filter((leader) => leader === broker).length;
  const count = await led();
  await kafka.kill(broker);
  const isMissed = async () => (await led()) === 0;
  await waitUntil(isMissed, { timeoutMs: PROMOTED_WITHIN_MS, everyMs: 500, describe: 'others lead its partitions' });
  await sleep(AWAY_MS);
  return {
    heal: () => kafka.start(broker),
    proof: () => Promise.resolve({ what: 'partitions that another broker led', count }),
  };
});

/** Two copies are wanted of what is acknowledged, and one is left: visits wait on the disk. */
const killTwoBrokers = ofNodes('kill-two-brokers', ['F10', 'F11'], async (world, { kafka }) => {
  const spooled = await spooledFromNowOn(world);
  const heal = await withoutTwoBrokers(world, kafka);
  await untilSpooled(spooled);
  await sleep(AWAY_MS);
  const count = await spooled();
  return { heal, proof: () => Promise.resolve({ what: 'visits answered from the spool', count }) };
});

/** The only copy of some visits is on the disk of processes that die. */
const killGatewaysToo = ofNodes('kill-two-brokers-and-gateways', ['F2'], async (world, { kafka }) => {
  const spooled = await spooledFromNowOn(world);
  const heal = await withoutTwoBrokers(world, kafka);
  await untilSpooled(spooled);
  const count = await spooled();
  const before = await pidsOf(world, 'gateway');
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await waitUntilReplaced(world, 'gateway', before, before);
  return { heal, proof: () => Promise.resolve({ what: 'visits spooled by gateways that were then killed', count }) };
});

async function withoutTwoBrokers({ random }: World, kafka: Nodes['kafka']): Promise<() => Promise<void>> {
  const left = pick(random, [0, 1, 2]);
  const killed = [0, 1, 2].filter((broker) => broker !== left);
  await Promise.all(killed.map((broker) => kafka.kill(broker)));
  return async () => {
    await Promise.all(killed.map((broker) => kafka.start(broker)));
  };
}

const spooledFromNowOn = ({ counters }: World) => counters.since('hopcount_visits_accepted_total', { path: 'spool' });

async function untilSpooled(spooled: () => Promise<number>): Promise<void> {
  const isSpooled = async () => (await spooled()) > SPOOLED;
  await waitUntil(isSpooled, { timeoutMs: SPOOLS_WITHIN_MS, describe: `${SPOOLED} visits wait on the disk` });
}

/** Of each partition, from 0 on, as a broker that answers says it. */
async function leadersOf(brokers: string): Promise<number[]> {
  const kafka = new Kafka({ brokers: brokers.split(','), clientId: 'leaders', logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [VISITS_TOPIC] });
    return topics.flatMap(({ partitions }) => partitions).map(({ leader }) => leader - 1);
  } finally {
    await admin.disconnect();
  }
}

const killRedisMaster = ofNodes('kill-redis-master', ['F14'], async ({ random }, { redis }) => {
  const key = pick(random, KEYS);
  const dead = await redis.masterOf(key);
  await redis.kill(dead);
  const isPromoted = async () => (await redis.masterOf(key)) !== dead;
  await waitUntil(isPromoted, { timeoutMs: PROMOTED_WITHIN_MS, everyMs: 200, describe: 'its replica is the master' });
  await sleep(1_000);
  return {
    heal: () => redis.start(dead),
    proof: () => Promise.resolve({ what: 'Redis masters whose replica took over', count: 1 }),
  };
});

/** SIGKILL of Patroni and PostgreSQL; it comes back as the standby of the other. */
const killPrimary = ofNodes('kill-postgres-primary', ['F17'], async (_world, { postgres }) => {
  const [old, next] = await membersOf(postgres);
  await postgres.kill(old);
  const isPromoted = async () => (await postgres.primary()) === next;
  await waitUntil(isPromoted, { timeoutMs: PROMOTED_WITHIN_MS, everyMs: 300, describe: `${next} is promoted` });
  return {
    heal: () => follows(postgres, old),
    proof: () => Promise.resolve({ what: 'standbys promoted', count: 1 }),
  };
});

/** The primary goes on alone once Patroni has noticed. */
const killStandby = ofNodes('kill-postgres-standby', ['F17'], async ({ changes }, { postgres }) => {
  const [primary, standby] = await membersOf(postgres);
  await postgres.kill(standby);
  const isAlone = async () => !(await postgres.isSynchronous());
  await waitUntil(isAlone, { timeoutMs: PROMOTED_WITHIN_MS, everyMs: 300, describe: `${primary} goes on alone` });
  const before = changes.acknowledged;
  await changes.more(3);
  const count = changes.acknowledged - before;
  return {
    heal: () => follows(postgres, standby),
    proof: () => Promise.resolve({ what: 'changes acknowledged by a primary without its standby', count }),
  };
});

/** @returns the primary, which has a standby that may be promoted, and that one */
async function membersOf(postgres: Nodes['postgres']): Promise<[Member, Member]> {
  await isSynchronous(postgres);
  return (await postgres.primary()) === 'a' ? ['a', 'b'] : ['b', 'a'];
}

async function follows(postgres: Nodes['postgres'], member: Member): Promise<void> {
  await postgres.start(member);
  await isSynchronous(postgres);
}

async function isSynchronous(postgres: Nodes['postgres']): Promise<void> {
  const options = { timeoutMs: FOLLOWS_WITHIN_MS, everyMs: 500, describe: 'there is a synchronous standby' };
  await waitUntil(() => postgres.isSynchronous(), options);
}

export const NODE_FAULTS: Fault[] = [
  killBroker,
  killTwoBrokers,
  killGatewaysToo,
  killRedisMaster,
  killPrimary,
  killStandby,
];
