import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { benchArchive, benchOpenDay } from './archive/archive.bench.js';
import { type BenchStack, startBenchStack } from './bench-stack.js';
import { benchCaches } from './caches.bench.js';
import { benchCodeRoom } from './code-room.bench.js';
import { benchCodes } from './codes.bench.js';
import { benchCreate } from './create.bench.js';
import { benchConsumer } from './consumer.bench.js';
import { benchConsumers } from './consumers.bench.js';
import { benchDashboard } from './dashboard.bench.js';
import { benchProducts } from './products.bench.js';
import { describeProfile } from './profile.js';
import { benchHeat } from './heat.bench.js';
import { benchHostAnswers } from './host-answers.bench.js';
import { benchHosts } from './hosts.bench.js';
import { benchIdle } from './idle.bench.js';
import { benchLabels } from './labels.bench.js';
import { benchList } from './list.bench.js';
import { benchArrivals } from './open-loop/arrivals.bench.js';
import { benchOutages } from './outages.bench.js';
import { benchOverload } from './overload.bench.js';
import { benchRateLimits } from './rate-limits.bench.js';
import { benchRedirects } from './redirects.bench.js';
import { renderSection, type Section, writeReport } from './report.js';
import { markdownOf } from './report-markdown.js';
import { benchSlots } from './slots.bench.js';
import { benchSoak } from './soak.bench.js';
import { benchStatistics } from './statistics.bench.js';
import { benchVisits } from './visits.bench.js';

const BENCHES: Record<string, (bench: BenchStack) => Promise<Section | Section[]>> = {
  // First: the others leave visits to be counted.
  idle: benchIdle,
  redirects: benchRedirects,
  arrivals: benchArrivals,
  consumer: benchConsumer,
  consumers: benchConsumers,
  slots: benchSlots,
  statistics: benchStatistics,
  heat: benchHeat,
  list: benchList,
  visits: benchVisits,
  create: benchCreate,
  codes: benchCodes,
  'code-room': benchCodeRoom,
  caches: benchCaches,
  limits: benchRateLimits,
  outages: benchOutages,
  overload: benchOverload,
  soak: benchSoak,
  archive: benchArchive,
  'open-day': benchOpenDay,
  labels: benchLabels,
  hosts: benchHosts,
  'host-answers': benchHostAnswers,
  products: benchProducts,
  dashboard: benchDashboard,
};

const HELP = `npm run bench -- [--only ${Object.keys(BENCHES).join(',')}] [--runs 3] [--profile]
                 [--visits 20000000] [--minutes 30] [--files FOLDER] [--settings 'A=1 b=2; A=3']

Measures a stack of its own, all sections or the named ones, each in interleaved runs; tables on stdout, and as
Markdown and JSON in bench-results/. --profile says where the time goes: such a run is not for the record. --visits: so many in
the sections archive and open-day, at most 2,000,000 of them in that of products. --minutes: of soak. --files: where that one writes its visits as CSV and JSON Lines,
for other products to load. --settings: of the consumer (in capitals) and of PostgreSQL; the section consumer measures each group beside the
settings as they are.
`;
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string' },
    runs: { type: 'string', default: '3' },
    profile: { type: 'boolean', default: false },
    visits: { type: 'string', default: '20000000' },
    minutes: { type: 'string', default: '30' },
    files: { type: 'string' },
    settings: { type: 'string' },
  },
});
const names = values.only === undefined ? Object.keys(BENCHES) : values.only.split(',');
const [runs = 0, visits = 0, minutes = 0] = [values.runs, values.visits, values.minutes].map(Number);
const areCounts = [runs, visits, minutes].every((count) => Number.isInteger(count) && count > 0);
const isUsage = areCounts && names.every((name) => BENCHES[name] !== undefined);
if (values.help || !isUsage) {
  process.stderr.write(HELP);
  process.exit(values.help ? 0 : 2);
}

// Profiling costs a tenth or so: figures of such a run are not for the record.
const profileDir = values.profile ? await mkdtemp(join(tmpdir(), 'hopcount-profile-')) : null;
const bench = await startBenchStack({
  runs,
  visits,
  minutes,
  files: values.files,
  settings: values.settings,
  cpuCount: cpus().length,
  profileDir,
});
const sections: Section[] = [];
const stop = () => Promise.all(bench.stacks.map((stack) => stack.stop()));
const interrupted = () => void stop().finally(() => process.exit(130));
process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
try {
  for (const name of names) {
    bench.say(`${name}: ${runs} runs`);
    const measured = [(await BENCHES[name]?.(bench)) ?? []].flat();
    for (const section of measured) process.stdout.write(`\n${renderSection(section)}`);
    sections.push(...measured);
  }
} finally {
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  await bench.pool.end();
  await stop();
}
if (profileDir !== null) {
  for (const { what, pid } of bench.measured) {
    process.stdout.write(`\nprofile of ${what}\n${describeProfile(profileDir, pid) ?? '  none was left'}\n`);
  }
  await rm(profileDir, { recursive: true, force: true });
}
const path = writeReport(join(process.cwd(), 'bench-results'), sections, { runs, visits, minutes, only: names });
const markdownPath = path.replace(/json$/, 'md');
writeFileSync(markdownPath, sections.map(markdownOf).join('\n'));
process.stdout.write(`\nwritten to ${path} and ${markdownPath}\n`);
