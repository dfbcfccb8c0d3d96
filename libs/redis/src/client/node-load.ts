import { Cluster, type Redis } from 'ioredis';

import type { RedisClient } from './create-redis.js';

/** A master of a cluster. */
interface NodeLoad {
  /** `host:port` */
  node: string;
  /** As redis-cli names it. */
  id: string;
  slots: number;
  keys: number;
  /** Commands since it was started. */
  operations: number;
}

type LoadKind = 'operations' | 'keys';

/** From this ratio to the mean on a node has too much. */
const UNEVEN_FROM = 1.2;
/** Fewer of all nodes on average tell nothing. */
const LEAST_MEAN = 1_000;

/** Empty where Redis is no cluster. @throws when a master does not answer */
export async function readNodeLoads(client: RedisClient): Promise<NodeLoad[]> {
  if (!(client instanceof Cluster)) return [];
  const slots = new Map<string, number>();
  for (const [master = ''] of client.slots) slots.set(master, (slots.get(master) ?? 0) + 1);
  const loaded = client.nodes('master').map(async (redis) => {
    const node = `${redis.options.host}:${redis.options.port}`;
    const [id, keys, stats] = await Promise.all([redis.call('CLUSTER', 'MYID'), redis.dbsize(), redis.info('stats')]);
    const operations = Number(/^total_commands_processed:(\d+)/m.exec(stats)?.[1] ?? 0);
    return { node, id: String(id), slots: slots.get(node) ?? 0, keys, operations };
  });
  return [...(await Promise.all(loaded)), ...(await withoutSlots(client))];
}

/** Masters that were added and have no slot yet: clients are not told of them. */
async function withoutSlots(client: Cluster): Promise<NodeLoad[]> {
  const lines = String(await client.call('CLUSTER', 'NODES'))
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    const [id = '', address = '', flags = '', , , , , , firstSlot] = line.split(' ');
    if (!/^(myself,)?master$/.test(flags) || firstSlot !== undefined) return [];
    return [{ node: address.split('@')[0] ?? '', id, slots: 0, keys: 0, operations: 0 }];
  });
}

/** Keys of each node, and its operations since the last look, divided by the mean of all. */
export class NodeLoadRatios {
  #before = new Map<string, number>();

  /** Of a kind with too little to compare, none. */
  look(loads: readonly NodeLoad[]): { node: string; kind: LoadKind; ratio: number }[] {
    const before = this.#before;
    this.#before = new Map(loads.map(({ id, operations }) => [id, operations]));
    // A node that was started again counts from 0.
    const since = loads.map(({ id, operations }) => Math.max(0, operations - (before.get(id) ?? operations)));
    const keys = loads.map((load) => load.keys);
    return (['operations', 'keys'] as const).flatMap((kind) =>
      ratiosOf(kind === 'keys' ? keys : since).map((ratio, nth) => ({ node: loads[nth]?.node ?? '', kind, ratio })),
    );
  }
}

function ratiosOf(values: readonly number[]): number[] {
  const mean = sumOf(values) / values.length;
  return mean >= LEAST_MEAN ? values.map((value) => value / mean) : [];
}

export interface UnevenNode {
  /** The one with most keys. */
  node: string;
  ratio: number;
  /** A master that was added and has no slot yet. */
  empty: string | undefined;
  /** Slots of `node` with most keys. */
  fullest: { slot: number; keys: number }[];
  /** Moves slots, under traffic, until each node has about as many keys. */
  command: string;
}

const SHOWN_SLOTS = 5;

/** The node with most keys, if these are too many or another one has no slot; undefined: keys are spread evenly, or too few. */
export async function findUnevenNode(client: RedisClient): Promise<UnevenNode | undefined> {
  const loads = await readNodeLoads(client);
  const keys = new NodeLoadRatios().look(loads).filter(({ kind }) => kind === 'keys');
  const most = keys.toSorted((one, other) => other.ratio - one.ratio)[0];
  // One empty node among 17 leaves the others at 1.06 times the mean.
  const empty = loads.find(({ slots }) => slots === 0)?.node;
  if (most === undefined || (most.ratio <= UNEVEN_FROM && empty === undefined)) return undefined;
  const { node, ratio } = most;
  return { node, ratio, empty, fullest: await fullestSlots(client as Cluster, node), command: rebalance(node, loads) };
}

/** A node with too many keys gives as large a part of its slots away as it has of keys; the others get them by what they lack. */
function rebalance(node: string, loads: readonly NodeLoad[]): string {
  const ratios = ratiosOf(loads.map(({ keys }) => keys));
  const given = loads.map(({ slots }, nth) => slots * Math.max(0, 1 - 1 / (ratios[nth] as number)));
  const lacking = ratios.map((ratio) => Math.max(0, 1 - ratio));
  const movedPerLack = sumOf(given) / sumOf(lacking);
  const weights = loads.map(({ id, slots }, nth) => {
    const wanted = slots - (given[nth] as number) + movedPerLack * (lacking[nth] as number);
    return `${id}=${(wanted / 1_000).toFixed(2)}`;
  });
  return `redis-cli --cluster rebalance ${node} --cluster-use-empty-masters --cluster-weight ${weights.join(' ')}`;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0);

async function fullestSlots(client: Cluster, node: string): Promise<UnevenNode['fullest']> {
  const redis = client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === node) as Redis;
  const slots = client.slots.flatMap(([master], slot) => (master === node ? [slot] : []));
  const pipeline = redis.pipeline();
  for (const slot of slots) pipeline.call('CLUSTER', 'COUNTKEYSINSLOT', slot);
  const counts = (await pipeline.exec()) ?? [];
  const counted = slots.map((slot, nth) => ({ slot, keys: Number(counts[nth]?.[1] ?? 0) }));
  return counted.toSorted((one, other) => other.keys - one.keys).slice(0, SHOWN_SLOTS);
}
