import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

import { HostTree } from './tree/host-tree.js';
import { listBelow, listSites } from './tree/list-hosts.js';
import { pruneHosts } from './tree/prune-hosts.js';
import { randomOf } from './windows/simulation.spec-helpers.js';

const TLDS = ['com', 'com', 'com', 'net', 'org', 'de', 'co.uk', 'io', 'fr', 'github.io'];
const ROWS_AT_A_TIME = 2_000;
const BY_ID = 20_000_000;
const BY_NAME = 5_000_000;
const LOOK_UPS = 500_000;
const FLOOD = 2_000_000;
const ZIPF_SIZE = 1 << 21;

/**
 * A tree of a million names of two to six labels (and of those above them), as from PostgreSQL: what it takes and how fast it is,
 * in CPU seconds where it says so. For `npm run bench -- --only hosts`.
 */
export async function measureTree(names = 1_000_000): Promise<Record<string, number>> {
  const random = randomOf(811);
  const gc = watchCollections();
  const tree = new HostTree(1);
  const rssBefore = process.memoryUsage().rss;
  const rows = loadRows(tree, names, random);
  const load = await inSlices(() => rows.next().done !== true);
  const rssMb = (process.memoryUsage().rss - rssBefore) / 2 ** 20;
  const ids = Int32Array.from({ length: ZIPF_SIZE }, () => 1 + zipf(random, names));
  const byId = cpuSecondsOf(() => {
    for (let at = 0; at < BY_ID; at += 1) tree.add(ids[at % ZIPF_SIZE] as number, 0, 1);
  });
  // In one piece each, as what was read is; what is put together is not until it is used.
  const kept = Array.from({ length: names }, (_, index) => Buffer.from(nameOf(index)).toString('latin1'));
  const byName = cpuSecondsOf(() => {
    for (let at = 0; at < BY_NAME; at += 1) tree.addByName(kept[(ids[at % ZIPF_SIZE] as number) - 1] as string, 0, 1);
  });
  const lookUpUs = timeLookUps(tree, kept, random);
  const belowMs = millisecondsOf(() => listBelow(tree, 'com', { limit: 100 }));
  const sitesMs = millisecondsOf(() => listSites(tree, { limit: 100 }));
  let isPruned = false;
  // It pauses by itself: how long it does not, the loop beside it sees.
  void pruneHosts(tree, (id) => id % 2 === 0).then(() => (isPruned = true));
  const pruned = await inSlices(() => !isPruned);
  const longestCollectionMs = await gc.stop();
  const measured = {
    nodes: tree.nodes.size,
    bytesAName: tree.bytes / names,
    treeMb: tree.bytes / 1e6,
    rssMb,
    loadSeconds: load.cpuSeconds,
    longestPauseMs: Math.max(load.longestMs, pruned.longestMs, longestCollectionMs, belowMs, sitesMs),
    byIdPerSecond: BY_ID / byId,
    byNamePerSecond: BY_NAME / byName,
    lookUpP99Us: lookUpUs,
    belowMs,
    sitesMs,
    pruneSeconds: pruned.cpuSeconds,
  };
  // It makes the tree another one.
  return { ...measured, floodMb: floodTree(tree, random) };
}

/**
 * Random labels below one parent, as of somebody who attacks a name's servers through resolvers.
 * @returns MB that the process has more of
 * @throws what the tree says wrongly afterwards
 */
function floodTree(tree: HostTree, random: () => number): number {
  const [parent, neighbour] = ['com.flooded', nameOf(0)];
  const before = tree.read(neighbour, 'subtree');
  const all = tree.read('com', 'subtree')?.visits[0] ?? 0;
  const rssBefore = process.memoryUsage().rss;
  for (let at = 0; at < FLOOD; at += 1) tree.addByName(`${parent}.x${(2 ** 52 * random()).toString(36)}`, 0, 1);
  const floodMb = (process.memoryUsage().rss - rssBefore) / 2 ** 20;
  const { visits, isLumped } = tree.read(parent, 'below') ?? {};
  const isExact = visits?.[0] === FLOOD && tree.read('com', 'subtree')?.visits[0] === all + FLOOD;
  const isNeighbourSame = JSON.stringify(tree.read(neighbour, 'subtree')) === JSON.stringify(before);
  if (!isExact || isLumped !== true || !isNeighbourSame) throw new Error('the tree is wrong after a flood of names');
  return floodMb;
}

/** Twenty characters on average, reversed. */
function nameOf(index: number): string {
  const site = Math.floor(240_000 * (((index * 2_654_435_761) % 2 ** 32) / 2 ** 32) ** 2);
  const tld = (TLDS[site % TLDS.length] as string).split('.').reverse().join('.');
  const middle = index % 5 === 0 ? `.r${index % 3}` : '';
  return `${tld}.site${site.toString(36)}${middle}.h${index.toString(36)}`;
}

/** Ids 1 to `names` are the names'; those above them have further ones. */
function* loadRows(tree: HostTree, names: number, random: () => number): Generator<void> {
  let id = names;
  for (let index = 0; index < names; index += 1) {
    const name = nameOf(index);
    const above = name.slice(0, name.lastIndexOf('.'));
    if (tree.nodes.find(above) === undefined) tree.define((id += 1), above);
    tree.define(index + 1, name);
    tree.add(index + 1, 0, 1 + Math.floor(100 * random()));
    if (index % ROWS_AT_A_TIME === 0) yield;
  }
}

async function inSlices(step: () => boolean) {
  let longestMs = 0;
  const from = process.cpuUsage();
  let last = performance.now();
  while (step()) {
    await setImmediate();
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }
  return { longestMs, cpuSeconds: secondsSince(from) };
}

function timeLookUps(tree: HostTree, names: readonly string[], random: () => number): number {
  const times = new Float64Array(LOOK_UPS);
  for (let at = 0; at < LOOK_UPS; at += 1) {
    const name = names[Math.floor(names.length * random())] as string;
    const asked = at % 2 === 0 ? name : name.slice(0, name.lastIndexOf('.'));
    const from = performance.now();
    tree.read(asked, 'below');
    times[at] = performance.now() - from;
  }
  return 1_000 * (times.sort()[Math.floor(0.99 * LOOK_UPS)] as number);
}

/** Exponent 1, over all names; those that came first are visited most. */
function zipf(random: () => number, size: number): number {
  return Math.floor(Math.exp(Math.log(size) * random())) - 1;
}

function millisecondsOf(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

function cpuSecondsOf(work: () => void): number {
  const from = process.cpuUsage();
  work();
  return secondsSince(from);
}

function secondsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}

function watchCollections() {
  let longestMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  return {
    stop: async () => {
      await setImmediate();
      observer.disconnect();
      return longestMs;
    },
  };
}
