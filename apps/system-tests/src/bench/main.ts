import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type BenchStack, startBenchStack } from './bench-stack.js';
import { benchConsumer } from './consumer.bench.js';
import { benchRedirects } from './redirects.bench.js';
import { renderSection, type Section, writeReport } from './report.js';
import { benchSlots } from './slots.bench.js';
import { benchStatistics } from './statistics.bench.js';

const BENCHES: Record<string, (bench: BenchStack) => Promise<Section | Section[]>> = {
  redirects: benchRedirects,
  consumer: benchConsumer,
  slots: benchSlots,
  statistics: benchStatistics,
};

const { values } = parseArgs({
  options: { only: { type: 'string' }, runs: { type: 'string', default: '3' } },
});
const names = values.only === undefined ? Object.keys(BENCHES) : values.only.split(',');
const runs = Number(values.runs);
if (names.some((name) => BENCHES[name] === undefined) || !Number.isInteger(runs) || runs < 1) {
  process.stderr.write(`usage: npm run bench -- [--only ${Object.keys(BENCHES).join(',')}] [--runs 3]\n`);
  process.exit(2);
}

const bench = await startBenchStack(runs, cpus().length);
const sections: Section[] = [];
const interrupted = () => void bench.stack.stop().finally(() => process.exit(130));
process.once('SIGINT', interrupted);
try {
  for (const name of names) {
    bench.say(`${name}: ${runs} runs`);
    const measured = [(await BENCHES[name]?.(bench)) ?? []].flat();
    for (const section of measured) process.stdout.write(`\n${renderSection(section)}`);
    sections.push(...measured);
  }
} finally {
  process.removeListener('SIGINT', interrupted);
  await bench.pool.end();
  await bench.stack.stop();
}
process.stdout.write(
  `\nwritten to ${writeReport(join(process.cwd(), 'bench-results'), sections, { runs, only: names })}\n`,
);
