import { type BenchStack, OUR_PROCESSES } from './bench-stack.js';
import { countedOffsets, countedVisits, isVerified } from './counted.js';
import { spreadOf } from './numbers.js';
import type { Section } from './report.js';
import { measureMaximum, untilCounted, visitAtRate } from './steady-load.js';

const TIMES_MAXIMUM = 3;
const SECONDS = 60;
/** Looks after the overload, a second each, at a tenth of the maximum. */
const RECOVERY_LOOKS = 20;
const RECOVERED_P99_MS = 25;

interface Overload {
  offered: number;
  answered: number;
  p99Ms: number;
  errors: number;
  lost: number;
  late: number;
  recoveredAfterSeconds: number;
  countedAfterSeconds: number;
}

/** Three times what the machine takes, for a minute: nothing crashes or is lost, and it is over soon after. */
export async function benchOverload(bench: BenchStack): Promise<Section> {
  const maximum = await measureMaximum(bench);
  const isVerifiable = await isVerified(bench);
  const pidsBefore = await pidsOf(bench);
  const overloads: Overload[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    const overload = await measure(bench, maximum, run);
    overloads.push(overload);
    bench.say(
      `  run ${run}: ${Math.round(overload.answered)}/s answered of ${Math.round(overload.offered)}/s, p99 ${Math.round(overload.p99Ms)} ms, ${overload.errors} errors (connections: ${overload.lost} lost, ${overload.late} late)`,
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
      `No process ended; every answered visit is in the ledger${isVerifiable ? '; `verify` was clean' : ''}.`,
      `Recovered: the first whole second at a tenth of the maximum with a p99 of at most ${RECOVERED_P99_MS} ms and no error.`,
    ],
    figures: [
      { name: 'offered', unit: 'visits/s', value: of('offered') },
      { name: 'answered', unit: 'visits/s', value: of('answered') },
      { name: 'p99 of what is answered', unit: 'ms', value: of('p99Ms') },
      { name: 'no redirect', unit: 'answers', value: of('errors'), target: { atMost: 0 } },
      { name: 'of them: connections refused, reset or ended', unit: 'connections', value: of('lost') },
      { name: 'of them: connections without an answer for 10 s', unit: 'connections', value: of('late') },
      { name: 'recovered after', unit: 's', value: of('recoveredAfterSeconds'), target: { atMost: 10 } },
      { name: 'all of it counted after', unit: 's', value: of('countedAfterSeconds') },
    ],
  };
}

async function measure(bench: BenchStack, maximum: number, run: number): Promise<Overload> {
  const [offsets, visits] = [await countedOffsets(bench), await countedVisits(bench)];
  const offered = TIMES_MAXIMUM * maximum;
  const load = await visitAtRate(bench, offered, SECONDS, run);
  const endedMs = performance.now();
  const { looks, answered } = await recover(bench, maximum / 10, run);
  const { requests, perSecond, p99Ms, errors, lost, late } = load;
  const wanted = requests - errors + answered;
  await untilCounted(bench, offsets, wanted);
  const countedAfterSeconds = (performance.now() - endedMs) / 1_000;
  const more = (await countedVisits(bench)) - visits;
  if (more < wanted) throw new Error(`${more} of ${wanted} answered visits are in the ledger`);
  return { offered, answered: perSecond, p99Ms, errors, lost, late, recoveredAfterSeconds: looks, countedAfterSeconds };
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
