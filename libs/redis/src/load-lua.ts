import { readFileSync } from 'node:fs';

import type { RedisClient } from './client/create-redis.js';

/** Runs one script: keys and arguments as stated at the top of its file; the raw reply. */
export type Script = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/**
 * Registers the `.lua` file beside its caller as a command of this client (ioredis sends EVALSHA and
 * falls back to EVAL after SCRIPT FLUSH or a restart).
 */
export function defineScript(redis: RedisClient, name: string, callerUrl: string, relativePath: string): Script {
  redis.defineCommand(name, { lua: readFileSync(new URL(relativePath, callerUrl), 'utf8') });
  const commands = redis as unknown as Record<string, (...args: (string | number)[]) => Promise<unknown>>;
  return (keys, args) => commands[name]!(keys.length, ...keys, ...args);
}
