import { readMetric } from '../harness/metrics.js';
import { type BenchStack, LINKS } from './bench-stack.js';
import { spreadOf } from './numbers.js';
import type { Section } from './report.js';
import { requireWrk, runWrk } from './wrk.js';

/** Longer than gateways take to note what they are asked for. */
const WARM_UP_SECONDS = 40;
const SECONDS = 8;
const JUST_STARTED_SECONDS = 2;

type Answers = Record<'memory' | 'redis' | 'database' | 'stale' | 'unknown' | 'failed', number>;

/** (j) Who answers for a link: on a load like that of visitors, just after a start, and under a scan of random codes. */
export async function benchCaches(bench: BenchStack): Promise<Section> {
  requireWrk();
  await bench.stack.hold('consumer');
  const samples = { warm: [] as number[], started: [] as number[], scanned: [] as number[], perSecond: [] as number[] };
  try {
    await lookUps(bench, 'zipf', WARM_UP_SECONDS, 0);
    for (let run = 1; run <= bench.runs; run += 1) {
      samples.warm.push(hitRatio(await lookUps(bench, 'zipf', SECONDS, run)));
      const scan = await lookUps(bench, 'scan', SECONDS, run);
      samples.scanned.push((100 * scan.asked) / scan.requests);
      samples.perSecond.push(scan.perSecond);
      await bench.stack.hold('gateway');
      await bench.stack.resume('gateway');
      samples.started.push(hitRatio(await lookUps(bench, 'zipf', JUST_STARTED_SECONDS, run)));
      bench.say(
        `  run ${run}: ${samples.warm.at(-1)?.toFixed(2)} %, ${samples.scanned.at(-1)?.toFixed(2)} % of a scan`,
      );
    }
  } finally {
    await bench.stack.resume('consumer');
  }
  return {
    title: `Caches: ${LINKS.toLocaleString('en-US')} links drawn Zipf-like, ${SECONDS} s a run; random codes`,
    notes: [
      `Hit ratio: of the look-ups that found a link, those that memory answered. Just started: the first ${JUST_STARTED_SECONDS} s of a gateway, which loads the links that were asked for last.`,
      'Scan: codes of seven random characters; what reaches PostgreSQL is counted where it is asked.',
    ],
    figures: [
      { name: 'hit ratio', unit: '%', value: spreadOf(samples.warm), target: { atLeast: 95 } },
      { name: 'hit ratio, just started', unit: '%', value: spreadOf(samples.started) },
      { name: 'scan: requests', unit: '/s', value: spreadOf(samples.perSecond) },
      {
        name: 'scan: look-ups that reach PostgreSQL',
        unit: '%',
        value: spreadOf(samples.scanned),
        target: { atMost: 1 },
      },
    ],
  };
}

async function lookUps(bench: BenchStack, visits: 'zipf' | 'scan', seconds: number, seed: number) {
  const { gatewayUrl: url } = await bench.stack.read();
  const before = await read(bench);
  const core = bench.cores?.load ?? null;
  const { requests, perSecond } = await runWrk({ url, host: bench.host, links: LINKS, seconds, seed, core, visits });
  const after = await read(bench);
  const answers = Object.fromEntries(
    Object.entries(after.answers).map(([result, count]) => [result, count - before.answers[result as keyof Answers]]),
  ) as Answers;
  return { answers, asked: after.asked - before.asked, requests, perSecond };
}

async function read({ stack }: BenchStack): Promise<{ answers: Answers; asked: number }> {
  const { gateway } = (await stack.read()).opsUrls;
  const result = (name: string) => readMetric(gateway, 'hopcount_link_lookups_total', { result: name });
  const names = ['memory', 'redis', 'database', 'stale', 'unknown', 'failed'] as const;
  const counts = await Promise.all(names.map(async (name) => [name, await result(name)]));
  const asked = await readMetric(gateway, 'hopcount_link_database_lookups_total');
  return { answers: Object.fromEntries(counts) as Answers, asked };
}

function hitRatio({ answers: { memory, redis, database, stale, failed } }: { answers: Answers }): number {
  return (100 * memory) / (memory + redis + database + stale + failed);
}
