import { Redis } from 'ioredis';

import type { RedisClient } from './create-redis.js';

const held = new WeakSet<object>();

/**
 * What goes to this server in one turn of the event loop goes out in one write: a write takes the processor longer than a
 * short question, and many requests ask at once. To a cluster each question is written for itself.
 */
export function writeTogether(client: RedisClient): void {
  if (!(client instanceof Redis) || client.status !== 'ready') return;
  const { stream } = client;
  if (held.has(stream)) return;
  held.add(stream);
  stream.cork();
  setImmediate(() => {
    held.delete(stream);
    stream.uncork();
  });
}
