import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Cluster, Redis } from 'ioredis';

import { freePort } from './free-port.js';
import { TestServer } from './test-server.js';
import { waitUntil } from './wait-until.js';

/** Masters with a replica each, so a test may kill, freeze and move what it likes. */
export interface TestRedisCluster {
  /** As REDIS_URL wants it: all nodes. */
  readonly url: string;
  /** One master as if it were a server of its own. */
  nodeUrl(): string;
  /** For looking; finds its way after a promotion. */
  readonly client: Cluster;
  /** `host:port` of the master that has the key. */
  masterOf(key: string): Promise<string>;
  kill(node: string): Promise<void>;
  /** A killed one again, on the same port; resolves once it follows whoever is master now. */
  start(node: string): Promise<void>;
  freeze(node: string): void;
  thaw(node: string): void;
  /** Of every node. */
  all: Record<'kill' | 'end' | 'start', () => Promise<void>> & Record<'freeze' | 'thaw', () => void>;
  /** One more master, without a slot. @returns its name */
  addMaster(): Promise<string>;
  /** Done on each master, as if it were a server of its own. */
  onMasters: <T>(work: (master: Redis) => Promise<T>) => Promise<Map<string, T>>;
  /** Keys of each master. */
  keysByMaster(): Promise<Map<string, number>>;
  close(): Promise<void>;
}

const SLOTS = 16_384;
const HOST = '127.0.0.1';
/** How long a master is silent before the others promote its replica. */
const NODE_TIMEOUT_MS = 1_500;
const START_TIMEOUT_MS = 10_000;

/** @throws Error when no redis-server is on PATH. */
export async function testRedisCluster({
  masters = 3,
  replicas = 3,
  nodeTimeoutMs = NODE_TIMEOUT_MS,
} = {}): Promise<TestRedisCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-test-cluster-'));
  const servers = new Map<string, TestServer>();
  const startNode = async () => {
    const server = await startClusterNode(folder, nodeTimeoutMs);
    servers.set(`${HOST}:${server.port}`, server);
    return `${HOST}:${server.port}`;
  };
  const someMaster = () => nameOf((client.nodes('master') as [Redis])[0]);
  const close = async () => {
    // ioredis 5 closed in the middle of a refresh sets its timer again, for ever: the process would not end.
    await new Promise<void>((resolve) => client.refreshSlotsCache(() => resolve()));
    client.disconnect();
    await Promise.all([...servers.values()].map((server) => server.end('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  };
  const nodes = await Promise.all(Array.from({ length: masters + replicas }, startNode));
  await form(nodes, masters);
  const client = new Cluster(nodes, { slotsRefreshInterval: 200 });
  client.on('error', () => undefined);
  return {
    url: `redis+cluster://${nodes.join(',')}`,
    nodeUrl: () => `redis://${someMaster()}`,
    client,
    masterOf: async (key) => {
      const slot = Number(await client.cluster('KEYSLOT', key));
      const [range] = (await slotsOf(client)).filter(({ from, to }) => from <= slot && slot <= to);
      return range!.master;
    },
    kill: (node) => servers.get(node)!.end('SIGKILL'),
    start: (node) => startAgain(node, servers.get(node)!),
    freeze: (node) => servers.get(node)!.freeze(),
    thaw: (node) => servers.get(node)!.thaw(),
    all: allOf(servers),
    addMaster: async () => {
      const added = await startNode();
      await meet(added, someMaster());
      const isKnown = async () => (await masterIds(client)).has(added) && (await on(added, isWhole));
      await waitUntil(isKnown, { timeoutMs: 60_000, describe: 'the cluster and the new node to know each other' });
      return added;
    },
    onMasters: asServers(client),
    keysByMaster: () => asServers(client)((master) => master.dbsize()),
    close,
  };
}

function asServers(client: Cluster): TestRedisCluster['onMasters'] {
  return async (work) => {
    const masters = [...new Set((await slotsOf(client)).map(({ master }) => master))];
    return new Map(await Promise.all(masters.map(async (node) => [node, await on(node, work)] as const)));
  };
}

function allOf(servers: ReadonlyMap<string, TestServer>): TestRedisCluster['all'] {
  const all = () => [...servers.values()];
  const end = async (signal: NodeJS.Signals) => void (await Promise.all(all().map((server) => server.end(signal))));
  return {
    kill: () => end('SIGKILL'),
    end: () => end('SIGTERM'),
    start: async () => {
      await Promise.all(all().map((server) => server.startAgain()));
      const areWhole = async () =>
        (await Promise.all([...servers.keys()].map((node) => on(node, isWhole)))).every(Boolean);
      await waitUntil(areWhole, { timeoutMs: 60_000, describe: 'the cluster to be whole again' });
    },
    freeze: () => all().forEach((server) => server.freeze()),
    thaw: () => all().forEach((server) => server.thaw()),
  };
}

function nameOf({ options }: Redis): string {
  return `${options.host}:${options.port}`;
}

async function startAgain(node: string, server: TestServer): Promise<void> {
  await server.startAgain();
  await waitUntil(() => on(node, follows), { timeoutMs: 60_000, describe: `${node} to follow its master` });
}

async function startClusterNode(folder: string, nodeTimeoutMs: number): Promise<TestServer> {
  // Below the range that Linux gives to outgoing connections; the bus is 10,000 above by default, beyond the last port there is.
  const bus = await freePort();
  return TestServer.start({
    name: 'redis-server',
    command: 'redis-server',
    args: (port) =>
      Object.entries({
        ...{ port, bind: HOST, save: '', appendonly: 'no', dir: folder, loglevel: 'warning' },
        'cluster-enabled': 'yes',
        'cluster-port': bus,
        'cluster-config-file': `nodes-${port}.conf`,
        'cluster-node-timeout': nodeTimeoutMs,
        // A part of the keys goes on being served while another is not.
        'cluster-require-full-coverage': 'no',
        'repl-diskless-sync-delay': 0,
      }).flatMap(([name, value]) => [`--${name}`, String(value)]),
    answers: (port) => on(`${HOST}:${port}`, async (redis) => (await redis.ping()) === 'PONG').catch(() => false), // is asked again
    startTimeoutMs: START_TIMEOUT_MS,
  });
}

/** Runs it on a connection of its own to that one node. */
async function on<T>(node: string, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(`redis://${node}`, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function meet(node: string, other: string): Promise<void> {
  const busOf = (name: string) => on(name, (redis) => redis.config('GET', 'cluster-port'));
  const [, bus] = (await busOf(other)) as [string, string];
  const [host = '', port = ''] = other.split(':');
  await on(node, (redis) => redis.call('CLUSTER', 'MEET', host, port, bus));
}

async function form(nodes: string[], masters: number): Promise<void> {
  await Promise.all(
    nodes.slice(0, masters).map((node, index) => {
      const [from, to] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / masters)) as [number, number];
      return on(node, (redis) => redis.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1));
    }),
  );
  for (const [index, node] of nodes.entries()) {
    await on(node, (redis) => redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1));
    if (index > 0) await meet(node, nodes[0]!);
  }
  const knows = (node: string, count: number) =>
    on(
      node,
      async (redis) => (await nodeLines(redis)).filter((line) => !/handshake|fail|noaddr/.test(line)).length >= count,
    );
  const allKnow = async () => (await Promise.all(nodes.map((node) => knows(node, nodes.length)))).every(Boolean);
  await waitUntil(allKnow, { timeoutMs: 60_000, describe: 'the nodes to know each other' });
  for (const [index, node] of nodes.slice(masters).entries()) {
    const master = await on(nodes[index % masters]!, (redis) => redis.call('CLUSTER', 'MYID'));
    await on(node, (redis) => redis.call('CLUSTER', 'REPLICATE', String(master)));
  }
  const areWhole = async () => (await Promise.all(nodes.map((node) => on(node, isWhole)))).every(Boolean);
  await waitUntil(areWhole, { timeoutMs: 60_000, describe: 'the cluster to be whole' });
  const allFollow = async () =>
    (await Promise.all(nodes.slice(masters).map((node) => on(node, follows)))).every(Boolean);
  await waitUntil(allFollow, { timeoutMs: 60_000, describe: 'the replicas to follow' });
}

async function follows(redis: Redis): Promise<boolean> {
  return (await redis.info('replication')).includes('master_link_status:up');
}

async function isWhole(redis: Redis): Promise<boolean> {
  return String(await redis.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
}

async function nodeLines(redis: Redis | Cluster): Promise<string[]> {
  return String(await redis.cluster('NODES'))
    .trim()
    .split('\n');
}

interface SlotRange {
  from: number;
  to: number;
  master: string;
}

async function slotsOf(client: Cluster): Promise<SlotRange[]> {
  const ranges = (await client.cluster('SLOTS')) as unknown as [number, number, [string, number]][];
  return ranges.map(([from, to, [host, port]]) => ({ from, to, master: `${host}:${port}` }));
}

/** Ids of the masters by their names. */
async function masterIds(client: Cluster): Promise<Map<string, string>> {
  const lines = (await nodeLines(client)).map((line) => line.split(' '));
  const masters = lines.filter(([, , flags = '']) => flags.includes('master') && !flags.includes('fail'));
  return new Map(masters.map(([id = '', address = '']) => [address.split('@')[0]!, id]));
}
