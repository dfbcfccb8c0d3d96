import { freePorts } from '@hopcount/testing';
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { readMetric } from '../harness/metrics.js';
import { type BenchStack, FIRST_LINK_ID, LINKS } from './bench-stack.js';
import { ratioSpread, spreadOf } from './numbers.js';
import { cpuSeconds, pin, rssMb } from './process-usage.js';
import type { Figure, Section } from './report.js';
import { requireWrk, runWrk } from './wrk.js';

/** Until V8 and the broker's JVM have compiled the whole path: both live for weeks. */
const WARM_UP_SECONDS = 25;
const SECONDS = 8;
const PLAIN_MB_AT_MOST = 220;
const MB_AT_MOST = 330;
/** What making visits durable in batches takes at least, of a server that does nothing else. */
const BATCH_MS = 5;

/** Links that need more than their cached target: codes begin with the key. */
const KINDS = {
  'rules-': {
    name: 'gateway, five rules a link, the last of which holds',
    firstId: FIRST_LINK_ID - 20_000_000n,
    column: 'redirect_rules',
    type: 'jsonb',
    value: JSON.stringify(
      [
        { type: 'device', matchKey: null, matchValue: 'ios' },
        { type: 'language', matchKey: null, matchValue: 'fr' },
        { type: 'query-param', matchKey: 'from', matchValue: 'mail' },
        { type: 'geolocation-country-code', matchKey: null, matchValue: 'DE' },
        { type: 'browser', matchKey: null, matchValue: 'chrome' },
      ].map((condition, n) => ({ longUrl: `https://example.com/rule/${n}`, conditions: [condition] })),
    ),
  },
  'limit-': {
    name: 'gateway, links with a limit',
    firstId: FIRST_LINK_ID - 10_000_000n,
    column: 'max_visits',
    type: 'integer',
    value: '2000000000',
  },
} as const;

interface Server {
  name: string;
  url: string;
  pid: number;
  /** Of the codes asked for. */
  prefix: string;
  samples: { perSecond: number[]; perCpuSecond: number[]; p50Ms: number[]; p99Ms: number[]; rssMb: number[] };
}

/** (a) One gateway process, every visit acknowledged by Kafka, beside bare servers that record nothing. */
export async function benchRedirects(bench: BenchStack): Promise<Section> {
  requireWrk();
  await bench.stack.hold('consumer'); // the gateway is measured, not who shares its machine
  for (const prefix of Object.keys(KINDS) as (keyof typeof KINDS)[]) await addLinks(bench, prefix);
  const { servers, children } = await startServers(bench);
  try {
    const acceptedBefore = await acceptedVisits(bench, 'kafka');
    const spooledBefore = await acceptedVisits(bench, 'spool');
    let errors = 0;
    bench.measured.push({ what: 'gateway', pid: servers.at(-1)?.pid ?? 0 });
    for (const server of servers) await measure(bench, server, WARM_UP_SECONDS, 0);
    const plainMb = servers.find(({ name }) => name === 'gateway')?.samples.rssMb[0] ?? Number.NaN;
    for (const server of servers) server.samples = emptySamples();
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const server of servers) errors += await measure(bench, server, SECONDS, run);
    }
    const toKafka = (await acceptedVisits(bench, 'kafka')) - acceptedBefore;
    const toSpool = (await acceptedVisits(bench, 'spool')) - spooledBefore;
    return describeRedirects(servers, { toKafka, toSpool, errors, plainMb, pinned: bench.cores !== null });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await bench.stack.resume('consumer');
  }
}

/** As the bench's others, on the same domain; they stay, as their visits are still to be counted. */
async function addLinks({ pool, host }: BenchStack, prefix: keyof typeof KINDS): Promise<void> {
  const { firstId, column, type, value } = KINDS[prefix];
  await pool.query(
    `INSERT INTO links (id, domain_id, code, long_url, ${column})
     SELECT $1::bigint + n, domains.id, $2::text || n, 'https://example.com/page/' || n, $3::${type}
     FROM domains, generate_series(0, $4::int - 1) AS n WHERE authority = $5 ON CONFLICT DO NOTHING`,
    [firstId.toString(), prefix, value, LINKS, host],
  );
}

async function startServers(bench: BenchStack): Promise<{ servers: Server[]; children: ChildProcess[] }> {
  const [nodePort, batchPort, fastifyPort] = await freePorts(3);
  const children: ChildProcess[] = [];
  const start = async (name: string, script: string, port: number | undefined, lateMs = 0): Promise<Server> => {
    const args = [port, LINKS, lateMs].map(String);
    const child = fork(fileURLToPath(new URL(`servers/${script}`, import.meta.url)), args);
    children.push(child);
    await new Promise((resolve, reject) => child.once('message', resolve).once('exit', reject));
    return { name, url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, prefix: 'bench-', samples: emptySamples() };
  };
  const { gatewayUrl, processes } = await bench.stack.read();
  const gateway = { url: gatewayUrl, pid: processes.gateway[0] ?? 0 };
  const servers = [
    await start('bare Node', 'bare-node.js', nodePort),
    await start(`bare Node, answers in batches ${BATCH_MS} ms late`, 'bare-node.js', batchPort, BATCH_MS),
    await start('bare Fastify', 'bare-fastify.js', fastifyPort),
    { name: 'gateway', ...gateway, prefix: 'bench-', samples: emptySamples() },
    ...Object.entries(KINDS).map(([prefix, { name }]) => ({ name, ...gateway, prefix, samples: emptySamples() })),
  ];
  if (bench.cores !== null) {
    const services = [...processes.kafka, ...processes.postgres, ...processes.redis];
    pin([...servers.map((server) => server.pid), ...services], bench.cores.servers);
  }
  return { servers, children };
}

/** @returns answers that were no redirect */
async function measure(bench: BenchStack, server: Server, seconds: number, run: number): Promise<number> {
  const cpuBefore = cpuSeconds(server.pid);
  const { url, prefix } = server;
  const core = bench.cores?.load ?? null;
  const result = await runWrk({ url, host: bench.host, links: LINKS, seconds, seed: run, core, prefix });
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  server.samples.perSecond.push(result.perSecond);
  server.samples.perCpuSecond.push(result.requests / cpu);
  server.samples.p50Ms.push(result.p50Ms);
  server.samples.p99Ms.push(result.p99Ms);
  server.samples.rssMb.push(rssMb(server.pid));
  if (run > 0) bench.say(`  run ${run}: ${server.name} ${Math.round(result.perSecond)}/s, ${result.errors} errors`);
  return result.errors;
}

function describeRedirects(
  servers: Server[],
  counts: { toKafka: number; toSpool: number; errors: number; plainMb: number; pinned: boolean },
): Section {
  const [bare, batches] = servers as [Server, Server];
  const figures = servers.flatMap(({ name, samples }): Figure[] => {
    const own = name === 'gateway';
    const isVariant = !own && name.startsWith('gateway');
    return [
      {
        ...{ name: `${name}: redirects`, unit: '/s', value: spreadOf(samples.perSecond) },
        ...(own && { target: { atLeast: 18_000 } }),
      },
      { name: `${name}: per CPU-second`, unit: '/CPU-s', value: spreadOf(samples.perCpuSecond) },
      { name: `${name}: p50`, unit: 'ms', value: spreadOf(samples.p50Ms) },
      { name: `${name}: p99`, unit: 'ms', value: spreadOf(samples.p99Ms), ...(own && { target: { atMost: 25 } }) },
      ...(isVariant
        ? []
        : [
            {
              name: `${name}: RSS${own ? ' after rules and limits, too' : ''}`,
              unit: 'MB',
              value: spreadOf(samples.rssMb),
              ...(own && { target: { atMost: MB_AT_MOST } }),
            },
          ]),
    ];
  });
  figures.push({
    ...{ name: 'gateway: RSS after plain links', unit: 'MB', value: spreadOf([counts.plainMb]) },
    target: { atMost: PLAIN_MB_AT_MOST },
  });
  const gateway = servers.find(({ name }) => name === 'gateway') as Server;
  const addRatio = (name: string, one: Server, base: Server, target?: Figure['target']) => {
    const value = ratioSpread(one.samples.perCpuSecond, base.samples.perCpuSecond);
    figures.push({ name: `${name}, per CPU-second`, unit: 'x', value, ...(target && { target }) });
  };
  addRatio('gateway / bare Node', gateway, bare, { atLeast: 0.42 });
  addRatio('bare Node in batches / bare Node', batches, bare);
  for (const one of servers.slice(servers.indexOf(gateway) + 1)) addRatio(`${one.name} / plain links`, one, gateway);
  const pinned = counts.pinned ? 'servers, Kafka, PostgreSQL and Redis on core 0, wrk on core 1' : 'nothing pinned';
  return {
    title: `Redirects: 64 connections, ${LINKS.toLocaleString('en-US')} links drawn Zipf-like, ${SECONDS} s a run`,
    notes: [
      `${pinned}; the consumer is stopped meanwhile.`,
      `Visits acknowledged by Kafka: ${counts.toKafka}; through the spool (warm-up included): ${counts.toSpool}; answers that were no redirect: ${counts.errors}.`,
    ],
    figures,
  };
}

function acceptedVisits(bench: BenchStack, path: string): Promise<number> {
  return readMetric(bench.stack.file.opsUrls.gateway, 'hopcount_visits_accepted_total', { path });
}

function emptySamples(): Server['samples'] {
  return { perSecond: [], perCpuSecond: [], p50Ms: [], p99Ms: [], rssMb: [] };
}
