import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { FAULTS, faultsOf } from './faults/index.js';
import { chaosMarkdown, writeChaosReport } from './report.js';
import { runChaos } from './run-chaos.js';
import { TOPOLOGIES } from './services.js';

const HELP = `npm run chaos -- [--seed 1] [--minutes M] [--faults a,b] [--gateways 2] [--consumers 2] [--report DIR]
        [--recovery-seconds 120] [--topology single|replicated]

Starts a stack of its own, visits it, injects faults in an order that the seed alone decides, then waits and
checks: every acknowledged visit counted once, nothing invented, every number recomputed and equal. Without
--minutes each fault is injected once. replicated: three Kafka brokers, a Redis Cluster of three masters with a
replica each, PostgreSQL with a synchronous standby under Patroni behind HAProxy (Debian: apt-get install patroni
etcd-server haproxy postgresql); no acknowledged link, edit, key or purge may be lost in either. Reports (Markdown and JSON), and the logs as they are when something is
violated, go to chaos-results/ or DIR.
Exit: 0 passed, 1 violated or a fault did not happen, 2 usage, 3 the run could not be made.

Faults:
${FAULTS.map(({ name, rows, topology }) => `  ${name.padEnd(36)} ${rows.join(', ')}${topology ? ` (${topology} only)` : ''}`).join('\n')}
`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '0' },
    faults: { type: 'string' },
    gateways: { type: 'string', default: '2' },
    consumers: { type: 'string', default: '2' },
    topology: { type: 'string', default: 'single' },
    report: { type: 'string', default: 'chaos-results' },
    'recovery-seconds': { type: 'string', default: '120' },
    help: { type: 'boolean', default: false },
  },
});
const numbers = [values.seed, values.minutes, values.gateways, values.consumers, values['recovery-seconds']].map(
  Number,
);
const [seed = 0, minutes = 0, gateways = 0, consumers = 0, recoverySeconds = 0] = numbers;
const topology = TOPOLOGIES.find((one) => one === values.topology);
const known = topology === undefined ? [] : faultsOf(topology);
const names = values.faults?.split(',') ?? known.map(({ name }) => name);
const faults = known.filter(({ name }) => names.includes(name));
const isUsage =
  topology !== undefined &&
  faults.length === names.length &&
  numbers.every((value) => Number.isFinite(value) && value >= 0);
if (values.help || !isUsage) {
  process.stderr.write(HELP);
  process.exit(values.help ? 0 : 2);
}
const say = (line: string) => process.stderr.write(`${line}\n`);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
try {
  const recoveredWithinMs = recoverySeconds * 1_000;
  const { signal } = interrupted;
  const keepLogsIn = resolve(values.report);
  const counts = { seed, minutes, gateways, consumers, recoveredWithinMs };
  const report = await runChaos({ ...counts, ...(topology && { topology }), faults, say, signal, keepLogsIn });
  const paths = writeChaosReport(keepLogsIn, report);
  process.stdout.write(`${chaosMarkdown(report)}\nwritten to ${paths.join(' and ')}\n`);
  process.exitCode = report.violations.length === 0 ? 0 : 1;
} catch (error) {
  say(`the run could not be made: ${(error as Error).stack ?? String(error)}`);
  process.exitCode = 3;
}
