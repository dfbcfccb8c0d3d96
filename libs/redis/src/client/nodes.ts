import { Cluster, Command, type Redis } from 'ioredis';

/** Of what has no key, and of a client that has one node. */
const NONE = '';

/** Of every Redis Cluster. */
export const SLOTS = 16_384;

export function slotOf(key: string): number {
  return new Command('get', [key]).getSlot() ?? 0;
}

/** The name of the master that has the key now, as `host:port`; '' where there is one node, or none is known. */
export function nodeOf(client: Redis | Cluster, key: string | undefined): string {
  if (!(client instanceof Cluster) || key === undefined) return NONE;
  return client.slots[slotOf(key)]?.[0] ?? NONE;
}

/** @throws when it does not answer, or answers that it cannot work */
export async function probeNode(client: Redis | Cluster, node: string): Promise<void> {
  if (!(client instanceof Cluster) || node === NONE) return void (await client.ping());
  const found = findNode(client, node);
  // Another one has its slots by now: who asks for them asks that one.
  if (found === undefined) return;
  try {
    await found.ping();
  } catch (error) {
    client.refreshSlotsCache();
    throw error;
  }
}

/** Once each master of a cluster is connected, or is none any more: what is asked of one before is not answered. */
export async function mastersConnected(client: Redis | Cluster): Promise<void> {
  if (!(client instanceof Cluster)) return;
  const isConnected = (node: Redis) =>
    new Promise<void>((resolve) => {
      node.once('ready', resolve).once('end', resolve);
    });
  const masters = client.nodes('master').filter(({ status }) => status !== 'ready' && status !== 'end');
  await Promise.all(masters.map(isConnected));
}

/** Ends a connection that is silent; a new one is made. False when there is none to be ended. */
export function reconnectNode(client: Redis | Cluster, node: string): boolean {
  const found = client instanceof Cluster && node !== NONE ? findNode(client, node) : client;
  if (found?.status !== 'ready') return false;
  found.disconnect(true);
  return true;
}

function findNode(client: Cluster, node: string): Redis | undefined {
  return client.nodes('all').find(({ options: { host, port } }) => `${host}:${port}` === node);
}
