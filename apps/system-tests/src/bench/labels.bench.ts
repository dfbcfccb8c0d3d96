import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { BenchStack } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import type { Figure, Section } from './report.js';

type Verdicts = Record<'right' | 'wrong' | 'unknown', number>;

const JUDGE = `
import { judgeLabels } from './libs/links/src/visitors/labels.spec-helpers.ts';
console.log(JSON.stringify(judgeLabels()));`;
/** The judge is a spec's helper: it is not built. From the repository's folder. */
const FROM_SOURCE = [
  '--import',
  './libs/testing/src/run-typescript.mjs',
  '--conditions=@hopcount/source',
  '--input-type=module',
];
const OUTCOMES = ['right', 'wrong', 'unknown'] as const;

/** Labels of user agents held against those of others: the same each run, so it is done once. */
export async function benchLabels(bench: BenchStack): Promise<Section> {
  bench.say('  judging agents, once');
  const { stdout } = await promisify(execFile)(process.execPath, [...FROM_SOURCE, '-e', JUDGE]);
  const judged = JSON.parse(stdout) as Record<string, Verdicts>;
  const figures = Object.entries(judged).flatMap(([what, verdicts]) =>
    OUTCOMES.map((outcome): Figure => ({
      name: `${what}: ${outcome}`,
      unit: 'agents',
      value: spreadOf([verdicts[outcome]]),
    })),
  );
  return {
    title: 'Labels of user agents against corpora of others',
    notes: [
      'bots: agents of crawler-user-agents; people and device: the agents of browsers in user-agents.',
      'system and browser: the same agents, by the rules of Matomo (node-device-detector).',
    ],
    figures,
  };
}
