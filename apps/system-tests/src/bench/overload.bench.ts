import { freePorts } from '@hopcount/testing';

import { environmentOf } from '../harness/environment-of.js';
import { readMetric } from '../harness/metrics.js';
import { startBeside } from '../harness/process-beside.js';
import { type BenchStack, LINKS, OUR_PROCESSES } from './bench-stack.js';
import { countedOffsets, countedVisits, isVerified } from './counted.js';
import { spreadOf } from './numbers.js';
import { runOpenLoop } from './open-loop/run-open-loop.js';
import type { Section } from './report.js';
import { measureMaximum, untilCounted, visitAtRate } from './steady-load.js';
import { AGENT } from './wrk.js';

const TIMES_MAXIMUM = 3;
const SECONDS = 60;
const SHED_ABOVE_DELAY_MS = 20;
/** So many connections that none has to wait for a free one while answers take less than this. */
const CONNECTIONS_MS = 300;
/** Looks after the overload, a second each, at a tenth of the maximum. */
const RECOVERY_LOOKS = 20;
const RECOVERED_P99_MS = 25;

interface Overload {
  offered: number;
  admitted: number;
  p50Ms: number;
  p99Ms: number;
  shed: number;
  otherAnswers: number;
  /** Connections lost, and requests without an answer for 10 s. */
  unanswered: number;
  latePercent: number;
  recoveredAfterSeconds: number;
  countedAfterSeconds: number;
}

/** Three times what the machine takes, for a minute: nothing crashes or is lost, and it is over soon after. */
export async function benchOverload(bench: BenchStack): Promise<Section> {
  const [pid = 0] = (await bench.stack.read()).processes.gateway;
  const [port] = await freePorts(1);
  const own = { GATEWAY_PORT: String(port), SHED_ABOVE_DELAY_MS: String(SHED_ABOVE_DELAY_MS) };
  const gateway = await startBeside('gateway', { ...environmentOf(pid), ...own });
  try {
    await gateway.ready();
    const file = { ...bench.stack.file, gatewayUrl: `http://127.0.0.1:${port}` };
    return await benchGateway({ ...bench, stack: { ...bench.stack, file } }, gateway.opsUrl);
  } finally {
    await gateway.stop();
  }
}

async function benchGateway(bench: BenchStack, opsUrl: string): Promise<Section> {
  const maximum = await measureMaximum(bench);
  const isVerifiable = await isVerified(bench);
  const pidsBefore = await pidsOf(bench);
  const overloads: Overload[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    const overload = await measure(bench, opsUrl, maximum, run);
    overloads.push(overload);
    bench.say(
      `  run ${run}: ${Math.round(overload.admitted)}/s admitted of ${Math.round(overload.offered)}/s, p99 ${Math.round(overload.p99Ms)} ms, ${overload.shed} shed, ${overload.otherAnswers} other answers, ${overload.unanswered} unanswered`,
    );
  }
  if ((await pidsOf(bench)) !== pidsBefore) throw new Error('a process ended and was started again');
  // Without it other benchmarks of the same call have emptied the ledger under what gateways had reported.
  if (isVerifiable && !(await isVerified(bench))) throw new Error('verify found a number that is wrong');
  const of = (figure: keyof Overload) => spreadOf(overloads.map((overload) => overload[figure]));
  return {
    title: `Overload: ${TIMES_MAXIMUM} times the maximum for ${SECONDS} s, the whole stack and who visits it on the same cores`,
    notes: [
      `The maximum: ${Math.round(maximum)} visits/s of 64 connections, by the time until all were counted.`,
      `The gateway sheds above a delay of ${SHED_ABOVE_DELAY_MS} ms. Visitors come whether or not it is quick (Poisson); latency: from when a request was due to its redirect.`,
      `No process ended; every redirect is in the ledger${isVerifiable ? '; `verify` was clean' : ''}.`,
      `Recovered: the first whole second at a tenth of the maximum with a p99 of at most ${RECOVERED_P99_MS} ms and no error.`,
    ],
    figures: [
      { name: 'offered', unit: 'visits/s', value: of('offered') },
      { name: 'admitted', unit: 'visits/s', value: of('admitted') },
      { name: 'p50 of the admitted', unit: 'ms', value: of('p50Ms') },
      { name: 'p99 of the admitted', unit: 'ms', value: of('p99Ms'), target: { atMost: 250 } },
      { name: 'shed: 503', unit: 'answers', value: of('shed') },
      { name: 'other answers', unit: 'answers', value: of('otherAnswers'), target: { atMost: 0 } },
      {
        name: 'connection lost, or no answer for 10 s',
        unit: 'requests',
        value: of('unanswered'),
        target: { atMost: 0 },
      },
      { name: 'begun over 1 ms late by the client itself', unit: '%', value: of('latePercent') },
      { name: 'recovered after', unit: 's', value: of('recoveredAfterSeconds'), target: { atMost: 10 } },
      { name: 'all of it counted after', unit: 's', value: of('countedAfterSeconds') },
    ],
  };
}

async function measure(bench: BenchStack, opsUrl: string, maximum: number, run: number): Promise<Overload> {
  const [offsets, visits] = [await countedOffsets(bench), await countedVisits(bench)];
  const offered = TIMES_MAXIMUM * maximum;
  const before = await answersOf(opsUrl);
  const load = await runOpenLoop(
    {
      ...{ url: bench.stack.file.gatewayUrl, host: bench.host, agent: AGENT, links: LINKS },
      ...{
        perSecond: offered,
        connections: Math.round((offered * CONNECTIONS_MS) / 1_000),
        seconds: SECONDS,
        seed: run,
      },
    },
    null,
  );
  const endedMs = performance.now();
  const after = await answersOf(opsUrl);
  const { looks, answered } = await recover(bench, maximum / 10, run);
  const wanted = load.redirects + answered;
  await untilCounted(bench, offsets, wanted);
  const countedAfterSeconds = (performance.now() - endedMs) / 1_000;
  const more = (await countedVisits(bench)) - visits;
  if (more < wanted) throw new Error(`${more} of ${wanted} answered visits are in the ledger`);
  return {
    ...{ offered, admitted: load.redirects / SECONDS, p50Ms: load.p50Ms, p99Ms: load.p99Ms },
    latePercent: (100 * load.late) / load.offered,
    shed: after.shed - before.shed,
    otherAnswers: after.others - before.others,
    unanswered: load.unanswered,
    ...{ recoveredAfterSeconds: looks, countedAfterSeconds },
  };
}

/** As the gateway counts them: wrk does not tell one error from another. */
async function answersOf(opsUrl: string): Promise<{ shed: number; others: number }> {
  const [all, redirects, shed] = await Promise.all([
    readMetric([opsUrl], 'hopcount_redirects_total'),
    readMetric([opsUrl], 'hopcount_redirects_total', { status: '302' }),
    readMetric([opsUrl], 'hopcount_requests_shed_total'),
  ]);
  return { shed, others: all - redirects - shed };
}

/** @returns how many seconds it took, and visits answered meanwhile */
async function recover(
  bench: BenchStack,
  perSecond: number,
  run: number,
): Promise<{ looks: number; answered: number }> {
  let answered = 0;
  for (let look = 1; look <= RECOVERY_LOOKS; look += 1) {
    const { requests, p99Ms, errors } = await visitAtRate(bench, perSecond, 1, 100 * run + look);
    answered += requests - errors;
    if (errors === 0 && p99Ms <= RECOVERED_P99_MS) return { looks: look, answered };
  }
  throw new Error(`not as before within ${RECOVERY_LOOKS} s`);
}

async function pidsOf({ stack }: BenchStack): Promise<string> {
  const { processes } = await stack.read();
  return OUR_PROCESSES.flatMap((kind) => processes[kind]).join();
}
