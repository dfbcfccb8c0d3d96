import { createHash, randomUUID } from 'node:crypto';

import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import { defineScript, type Script } from '../load-lua.js';

/** 4 MiB: what Redis sets aside at once when the shard is made. */
const MAX_SHARD_BITS = 2 ** 25;
const MAX_SHARDS = 32;
/** One entry in a thousand that was never added looks as if it had been, once as many are in it as it was made for. */
const BITS_PER_ENTRY = 14.4;
const HASHES = 10;
/**
 * In one script: Redis does nothing else meanwhile, and Lua unpacks no more arguments than some thousand. One script of each
 * shard is under way at a time.
 */
const ENTRIES_PER_CALL = 300;
/** Of a filter that nobody replaces or deletes. */
const TTL_MS = 2 * 24 * 3_600_000;

/** Says where a filter is and how it is read. */
export interface BloomFilter {
  generation: string;
  /**
   * Run id and replication id: another server, the same after a restart, or one that was a replica meanwhile may have lost the
   * last bits. A replication id ends with each promotion and each full copy from another server.
   */
  server: string;
  shards: number;
  /** Of each shard. */
  bits: number;
  hashes: number;
}

/**
 * Bloom filters in Redis. What was added is never said to be absent, as long as the answer is of the server that the
 * filter was made on and every bit has been there since: the scripts look at both each time. Everything else is no
 * answer. Keys: `hc:filter:{<generation>}:<shard>`: on one node of a cluster. No call throws.
 */
export class BloomFilters {
  readonly #make: Script;
  readonly #add: Script;
  readonly #look: Script;

  constructor(private readonly redis: RedisClient) {
    this.#make = defineScript(redis, 'hcMakeShard', import.meta.url, 'lua/make-shard.lua');
    this.#add = defineScript(redis, 'hcAddToShard', import.meta.url, 'lua/add-to-shard.lua');
    this.#look = defineScript(redis, 'hcLookIntoShard', import.meta.url, 'lua/look-into-shard.lua');
  }

  /** An empty one for so many entries, at most 128 MiB; undefined when Redis did not make it. */
  async make(entries: number): Promise<BloomFilter | undefined> {
    const wanted = Math.max(1_024, Math.ceil(entries * BITS_PER_ENTRY));
    const shards = Math.min(MAX_SHARDS, Math.ceil(wanted / MAX_SHARD_BITS));
    const bits = Math.min(MAX_SHARD_BITS, Math.ceil(wanted / shards));
    const filter = { generation: randomUUID(), server: '', shards, bits, hashes: HASHES };
    const servers = new Set<unknown>();
    for (let shard = 0; shard < shards; shard += 1) {
      servers.add(await this.#ask('filter-make', keyOf(filter, shard), (key) => this.#make([key], [bits, TTL_MS])));
    }
    const [server] = servers;
    return servers.size === 1 && typeof server === 'string' ? { ...filter, server } : undefined;
  }

  /** True: everybody who asks from now on is told that they may be in it. */
  async add(filter: BloomFilter, entries: readonly string[]): Promise<boolean> {
    return everyCall(filter, entries, async (key, some) => {
      const args = [filter.server, ...some.flatMap(({ places }) => places)];
      return (await this.#ask('filter-add', key, () => this.#add([key], args))) === 1;
    });
  }

  /** Whether each was never added, in the order given; undefined when that cannot be said. */
  async lacks(filter: BloomFilter, entries: readonly string[]): Promise<boolean[] | undefined> {
    const answers = new Array<boolean>(entries.length).fill(false);
    const isWhole = await everyCall(filter, entries, async (key, asked) => {
      const args = [filter.server, filter.hashes, ...asked.flatMap(({ places }) => places)];
      const letters = await this.#ask('filter-look', key, () => this.#look([key], args));
      if (typeof letters !== 'string' || letters.length !== asked.length) return false;
      asked.forEach(({ index }, place) => (answers[index] = letters[place] === 'n'));
      return true;
    });
    return isWhole ? answers : undefined;
  }

  /** Whether every shard still answers for what was added. */
  async isThere(filter: BloomFilter): Promise<boolean> {
    const anyBit = [filter.server, 1, 1];
    const letters = await Promise.all(
      keysOf(filter).map((key) => this.#ask('filter-look', key, () => this.#look([key], anyBit))),
    );
    return letters.every((letter) => letter === 'm' || letter === 'n');
  }

  /** Whoever still asks it gets no answer. */
  async drop(filter: BloomFilter): Promise<void> {
    for (const key of keysOf(filter)) await this.#ask('filter-drop', key, () => this.redis.unlink(key));
  }

  #ask<T>(operation: string, key: string, work: (key: string) => Promise<T>): Promise<T | undefined> {
    return availabilityOf(this.redis).ask(operation, () => work(key), key);
  }
}

interface Entry {
  index: number;
  places: number[];
}

/** All shards at once, the calls of one after the other; whether each said yes. What says no is the last call of its shard. */
async function everyCall(
  filter: BloomFilter,
  entries: readonly string[],
  call: (key: string, some: readonly Entry[]) => Promise<boolean>,
): Promise<boolean> {
  const isDone = async ([shard, of]: [number, Entry[]]) => {
    for (let from = 0; from < of.length; from += ENTRIES_PER_CALL) {
      if (!(await call(keyOf(filter, shard), of.slice(from, from + ENTRIES_PER_CALL)))) return false;
    }
    return true;
  };
  return !(await Promise.all([...byShard(filter, entries)].map(isDone))).includes(false);
}

function byShard(filter: BloomFilter, entries: readonly string[]): Map<number, Entry[]> {
  const shards = new Map<number, Entry[]>();
  entries.forEach((text, index) => {
    const digest = createHash('sha256').update(text).digest();
    const shard = digest.readUInt32BE(0) % filter.shards;
    const found = shards.get(shard) ?? [];
    found.push({ index, places: placesOf(digest, filter) });
    shards.set(shard, found);
  });
  return shards;
}

/** Two parts of the digest make all places (Kirsch and Mitzenmacher, 2006); bit 0 is not one. */
function placesOf(digest: Buffer, { bits, hashes }: BloomFilter): number[] {
  const [first, step] = [digest.readUInt32BE(4), digest.readUInt32BE(8)];
  return Array.from({ length: hashes }, (_, n) => 1 + ((first + n * step + n * n) % (bits - 1)));
}

function keysOf(filter: BloomFilter): string[] {
  return Array.from({ length: filter.shards }, (_, shard) => keyOf(filter, shard));
}

function keyOf({ generation }: BloomFilter, shard: number): string {
  return `hc:filter:{${generation}}:${shard}`;
}
