import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { BenchStack } from './bench-stack.js';
import { ratioSpread, spreadOf } from './numbers.js';
import type { Figure, Section } from './report.js';

const DRAWN = 100_000;

/** In a process of its own, as an api draws them: what is measured is the built library, from the repository's folder. */
const DRAW = `
import { Snowflakes } from '@hopcount/links';
import { LinkCodes } from './libs/links/dist/codes/link-codes.js';
const ids = new Snowflakes({ current: () => 1 });
const wanted = { custom: null, prefix: '', length: null };
const options = { secret: 'only for a benchmark, forty characters ...' };
const strategies = {
  random: new LinkCodes(ids, { ...options, codeStrategy: 'random' }),
  loose: new LinkCodes(ids, { ...options, codeStrategy: 'random', looseCodes: true }),
  snowflake: new LinkCodes(ids, { ...options, codeStrategy: 'snowflake' }),
};
const result = {};
for (const [name, codes] of Object.entries(strategies)) {
  for (let n = 0; n < 20_000; n += 1) codes.draw(wanted, 0);
  const timesMs = [];
  for (let n = 0; n < ${DRAWN}; n += 1) {
    const startedMs = performance.now();
    codes.draw(wanted, 0);
    timesMs.push(performance.now() - startedMs);
  }
  timesMs.sort((a, b) => a - b);
  result[name] = timesMs[Math.ceil(0.99 * timesMs.length) - 1];
}
console.log(JSON.stringify(result));`;

const STRATEGIES = ['random', 'loose', 'snowflake'] as const;
type Strategy = (typeof STRATEGIES)[number];

/** (i) Drawing a code with its id, the profanity list and the reserved words included. */
export async function benchCodes(bench: BenchStack): Promise<Section> {
  const p99: Record<Strategy, number[]> = { random: [], loose: [], snowflake: [] };
  for (let run = 1; run <= bench.runs; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', DRAW]);
    const drawn = JSON.parse(stdout) as Record<Strategy, number>;
    for (const strategy of STRATEGIES) p99[strategy].push(drawn[strategy]);
    bench.say(
      `  run ${run}: p99 ${STRATEGIES.map((strategy) => `${strategy} ${drawn[strategy].toFixed(4)} ms`).join(', ')}`,
    );
  }
  const figures = STRATEGIES.map((strategy): Figure => {
    const name = `draw a code, ${strategy}: p99`;
    return { name, unit: 'ms', value: spreadOf(p99[strategy]), target: { atMost: 0.1 } };
  });
  return {
    title: `Codes: ${DRAWN.toLocaleString('en-US')} drawn one by one, each with its id`,
    notes: ['A process of its own, one thread; drawn again when a code is profane.'],
    figures: [
      ...figures,
      { name: 'snowflake / random: p99', unit: 'x', value: ratioSpread(p99.snowflake, p99.random) },
    ],
  };
}
