import { Redis } from 'ioredis';

import type { RedisClient } from './create-redis.js';

const held = new WeakSet<object>();

/**
 * What goes to this server in one turn of the event loop goes out in one write. For short questions that many requests ask at once: a
 * write takes the processor longer than the question itself. They wait until what has come in is looked at, which they would anyhow. Of
 * a cluster each question is written for itself.
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
