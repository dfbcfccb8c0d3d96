import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { BenchStack } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import type { Figure, Section } from './report.js';

const MEASURE = `
import { measureTree } from './libs/hosts/src/bench.spec-helpers.ts';
console.log(JSON.stringify(await measureTree()));`;
/** What measures is not built. From the repository's folder; a process of its own each run. */
const FROM_SOURCE = [
  '--import',
  './libs/testing/src/run-typescript.mjs',
  '--conditions=@hopcount/source',
  '--input-type=module',
];

const FIGURES: Record<string, Pick<Figure, 'name' | 'unit' | 'target'>> = {
  byIdPerSecond: { name: 'increments by id', unit: '/CPU-s', target: { atLeast: 5_000_000 } },
  byNamePerSecond: { name: 'increments by kept name', unit: '/CPU-s', target: { atLeast: 1_000_000 } },
  lookUpP99Us: { name: 'look-up p99', unit: 'µs', target: { atMost: 50 } },
  treeMb: { name: 'size', unit: 'MB', target: { atMost: 120 } },
  rssMb: { name: 'resident size, with what loading left', unit: 'MB' },
  loadSeconds: { name: 'loading', unit: 'CPU-s', target: { atMost: 5 } },
  longestPauseMs: { name: 'longest pause', unit: 'ms', target: { atMost: 50 } },
  belowMs: { name: '100 largest below com', unit: 'ms' },
  sitesMs: { name: '100 largest sites', unit: 'ms' },
  floodMb: {
    name: 'resident size after 2,000,000 random labels below one name, more',
    unit: 'MB',
    target: { atMost: 50 },
  },
  pruneSeconds: { name: 'a tree without half of the names', unit: 'CPU-s' },
};

/** The tree of hosts in a process of its own, with a million names. */
export async function benchHosts(bench: BenchStack): Promise<Section> {
  const measured: Record<string, number>[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [...FROM_SOURCE, '-e', MEASURE]);
    measured.push(JSON.parse(stdout) as Record<string, number>);
    bench.say(`  run ${run} of ${bench.runs}`);
  }
  return {
    title: 'Hosts: a tree of 1,000,000 names, one class',
    notes: [
      `Names of two to six labels, ${measured[0]?.['nodes']?.toLocaleString('en-US')} nodes with those above them; increments drawn Zipf-like from all names.`,
      'Longest pause: a slice of loading or of pruning, a list, or a garbage collection, also of what the benchmark itself keeps.',
    ],
    figures: Object.entries(FIGURES).map(([key, figure]) => ({
      ...figure,
      value: spreadOf(measured.map((one) => one[key] ?? NaN)),
    })),
  };
}
