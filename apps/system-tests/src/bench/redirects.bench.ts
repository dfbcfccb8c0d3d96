import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { readMetric } from '../harness/metrics.js';
import { freePorts } from '../harness/stack.js';
import { type BenchStack, LINKS } from './bench-stack.js';
import { ratioSpread, spreadOf } from './numbers.js';
import { cpuSeconds, pin, rssMb } from './process-usage.js';
import type { Figure, Section } from './report.js';
import { requireWrk, runWrk } from './wrk.js';

/** Until V8 and the broker's JVM have compiled the whole path: both live for weeks. */
const WARM_UP_SECONDS = 25;
const SECONDS = 8;
const MB_AT_MOST = 300;

interface Server {
  name: string;
  url: string;
  pid: number;
  samples: { perSecond: number[]; perCpuSecond: number[]; p50Ms: number[]; p99Ms: number[]; rssMb: number[] };
}

/** (a) One gateway process, every visit acknowledged by Kafka, beside bare servers that record nothing. */
export async function benchRedirects(bench: BenchStack): Promise<Section> {
  requireWrk();
  await bench.stack.hold('consumer'); // the gateway is measured, not who shares its machine
  const { servers, children } = await startServers(bench);
  try {
    const acceptedBefore = await acceptedVisits(bench, 'kafka');
    const spooledBefore = await acceptedVisits(bench, 'spool');
    let errors = 0;
    bench.measured.push({ what: 'gateway', pid: servers.at(-1)?.pid ?? 0 });
    for (const server of servers) await measure(bench, server, WARM_UP_SECONDS, 0);
    for (const server of servers) server.samples = emptySamples();
    for (let run = 1; run <= bench.runs; run += 1) {
      for (const server of servers) errors += await measure(bench, server, SECONDS, run);
    }
    const toKafka = (await acceptedVisits(bench, 'kafka')) - acceptedBefore;
    const toSpool = (await acceptedVisits(bench, 'spool')) - spooledBefore;
    return describeRedirects(servers, { toKafka, toSpool, errors, pinned: bench.cores !== null });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await bench.stack.resume('consumer');
  }
}

async function startServers(bench: BenchStack): Promise<{ servers: Server[]; children: ChildProcess[] }> {
  const [nodePort, fastifyPort] = await freePorts(2);
  const children: ChildProcess[] = [];
  const start = async (name: string, script: string, port: number | undefined): Promise<Server> => {
    const child = fork(fileURLToPath(new URL(`servers/${script}`, import.meta.url)), [String(port), String(LINKS)]);
    children.push(child);
    await new Promise((resolve, reject) => child.once('message', resolve).once('exit', reject));
    return { name, url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, samples: emptySamples() };
  };
  const { gatewayUrl, processes } = await bench.stack.read();
  const servers = [
    await start('bare Node', 'bare-node.js', nodePort),
    await start('bare Fastify', 'bare-fastify.js', fastifyPort),
    { name: 'gateway', url: gatewayUrl, pid: processes.gateway[0] ?? 0, samples: emptySamples() },
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
  const { url } = server;
  const core = bench.cores?.load ?? null;
  const result = await runWrk({ url, host: bench.host, links: LINKS, seconds, seed: run, core });
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
  counts: { toKafka: number; toSpool: number; errors: number; pinned: boolean },
): Section {
  const bare = servers[0] as Server;
  const figures = servers.flatMap(({ name, samples }): Figure[] => {
    const own = name === 'gateway';
    return [
      { name: `${name}: redirects`, unit: '/s', value: spreadOf(samples.perSecond) },
      { name: `${name}: per CPU-second`, unit: '/CPU-s', value: spreadOf(samples.perCpuSecond) },
      { name: `${name}: p50`, unit: 'ms', value: spreadOf(samples.p50Ms) },
      { name: `${name}: p99`, unit: 'ms', value: spreadOf(samples.p99Ms), ...(own && { target: { atMost: 40 } }) },
      {
        name: `${name}: RSS`,
        unit: 'MB',
        value: spreadOf(samples.rssMb),
        ...(own && { target: { atMost: MB_AT_MOST } }),
      },
    ];
  });
  const gateway = servers.at(-1) as Server;
  const ratio = ratioSpread(gateway.samples.perCpuSecond, bare.samples.perCpuSecond);
  figures.push({ name: 'gateway / bare Node, per CPU-second', unit: 'x', value: ratio, target: { atLeast: 0.35 } });
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
