import { setTimeout as sleep } from 'node:timers/promises';

import type { StackFile } from '@hopcount/contracts';

import { startStack } from '../harness/stack.js';
import { type BenchStack, OUR_PROCESSES } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import { cpuSeconds, rssMb } from './process-usage.js';
import type { Section } from './report.js';

/** What a start leaves to do is done by then. */
const SETTLE_SECONDS = 30;
const SECONDS = 60;
const PERCENT_AT_MOST = 1;

/** What a stack without visits costs: processor time of each process of ours, of a stack as `npm start` makes it. */
export async function benchIdle(bench: BenchStack): Promise<Section> {
  // That of the other sections has links, and seals every ten seconds.
  const stack = await startStack();
  bench.stacks.push(stack);
  try {
    return await measure(stack.file.processes, bench);
  } finally {
    await stack.stop();
  }
}

async function measure(processes: StackFile['processes'], bench: BenchStack): Promise<Section> {
  const ours = OUR_PROCESSES.flatMap((kind) => processes[kind].map((pid) => ({ kind, pid, percent: [] as number[] })));
  await sleep(SETTLE_SECONDS * 1_000);
  for (let run = 1; run <= bench.runs; run += 1) {
    const before = ours.map(({ pid }) => cpuSeconds(pid));
    const startedMs = performance.now();
    await sleep(SECONDS * 1_000);
    const seconds = (performance.now() - startedMs) / 1_000;
    for (const [index, { pid, percent }] of ours.entries()) {
      percent.push((100 * (cpuSeconds(pid) - (before[index] ?? 0))) / seconds);
    }
    bench.say(`  run ${run}: ${ours.map(({ kind, percent }) => `${kind} ${percent.at(-1)?.toFixed(2)} %`).join(', ')}`);
  }
  return {
    title: `Idle: a stack without visits, ${SECONDS} s a run`,
    notes: [
      `From ${SETTLE_SECONDS} s after the start. % of one core; RSS at the end: ${ours.map(({ kind, pid }) => `${kind} ${Math.round(rssMb(pid))} MB`).join(', ')}.`,
    ],
    figures: ours.map(({ kind, percent }) => ({
      ...{ name: kind, unit: '%', value: spreadOf(percent), target: { atMost: PERCENT_AT_MOST } },
    })),
  };
}
