import { Cluster } from 'ioredis';

import type { RedisClient } from './create-redis.js';

const held = new WeakSet<RedisClient>();

/**
 * What goes to a server, or to a master of a cluster, in one turn of the event loop goes out in one write: a write takes the
 * processor longer than a short question, and many requests ask at once.
 */
export function writeTogether(client: RedisClient): void {
  if (client.status !== 'ready' || held.has(client)) return;
  held.add(client);
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  // A server that is not connected has none.
  const streams = servers.filter(({ status }) => status === 'ready').map(({ stream }) => stream);
  for (const stream of streams) stream.cork();
  setImmediate(() => {
    held.delete(client);
    for (const stream of streams) stream.uncork();
  });
}
