import { setTimeout as sleep } from 'node:timers/promises';

import { Cluster, Redis } from 'ioredis';

const NOSCRIPT_WITHIN_MS = 20_000;

/** FLUSHALL of every master. @returns how many keys they forgot */
export function flushRedis(url: string): Promise<number> {
  return onMasters(url, async (masters) => {
    const keys = await Promise.all(masters.map((master) => master.dbsize()));
    await Promise.all(masters.map((master) => master.flushall()));
    return sum(keys);
  });
}

/** SCRIPT FLUSH of every master. @returns how many EVALSHA were answered NOSCRIPT after it; waits for the first */
export function flushScripts(url: string): Promise<number> {
  return onMasters(url, async (masters) => {
    const noScripts = async () => sum(await Promise.all(masters.map(noScriptsOf)));
    const before = await noScripts();
    await Promise.all(masters.map((master) => master.script('FLUSH')));
    const deadlineMs = Date.now() + NOSCRIPT_WITHIN_MS;
    while ((await noScripts()) === before && Date.now() < deadlineMs) await sleep(50);
    return (await noScripts()) - before;
  });
}

async function noScriptsOf(redis: Redis): Promise<number> {
  return Number(/errorstat_NOSCRIPT:count=(\d+)/.exec(await redis.info('errorstats'))?.[1] ?? 0);
}

/** @param url of one server, or `redis+cluster://` with nodes of a cluster */
async function onMasters<T>(url: string, work: (masters: Redis[]) => Promise<T>): Promise<T> {
  const nodes = /^redis\+cluster:\/\/(.+)$/.exec(url)?.[1];
  if (nodes === undefined) {
    const redis = new Redis(url, { maxRetriesPerRequest: 1 });
    return work([redis]).finally(() => redis.disconnect());
  }
  const cluster = new Cluster(nodes.split(','));
  cluster.on('error', () => undefined);
  try {
    // Which are masters is known once it has asked one of them.
    await cluster.ping();
    return await work(cluster.nodes('master'));
  } finally {
    cluster.disconnect();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
