import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '@hopcount/testing';

import { withoutPurged } from '../harness/conservation.js';
import { assertEverythingArchived, assertStatisticsExact } from '../harness/everything-archived.js';
import { assertEverythingCounted } from '../harness/everything-counted.js';
import { seededRandom } from '../harness/random.js';
import type { Fault, Injection } from './fault.js';
import { assertFedCounted } from './fed-counts.js';
import { type PlannedFault, planFaults } from './plan-faults.js';
import type { ChaosReport, FaultReport } from './report.js';
import type { Topology } from './services.js';
import { type OpenWorld, openWorld } from './world.js';

export interface ChaosOptions {
  seed: number;
  /** 0: every fault once. */
  minutes: number;
  faults: readonly Fault[];
  gateways?: number;
  /** Longest wait after each fault until what was acknowledged is counted. */
  recoveredWithinMs?: number;
  consumers?: number;
  /** Default: `single`. */
  topology?: Topology;
  /** Before each fault. */
  longestPauseMs?: number;
  /** Between late visits: each batch keeps the archive at work. */
  latePauseMs?: number;
  /** Of each visitor after a visit. */
  visitPauseMs?: number;
  say?: (line: string) => void;
  /** Where the logs of all processes go, as they are when something is violated. */
  keepLogsIn?: string;
  /** Ends the injecting early; what was done is still checked. */
  signal?: AbortSignal;
}

const WARM_UP_MS = 2_000;
const VISIT_PAUSE_MS = 30;
const RECOVERED_WITHIN_MS = 120_000;
const PROBES = 200;
/** Faults that failed, after which a run goes no further: the rest would only repeat it. */
const MOST_VIOLATIONS = 5;

/**
 * Load, and fault after fault into it; then quiet, and the checks. Also after a violation the final
 * checks are made: they say what was lost.
 * @throws when the run itself could not be made (no stack, say): that is no verdict
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const say = options.say ?? (() => undefined);
  const startedMs = Date.now();
  const world = await openWorld({
    seed: options.seed,
    latePauseMs: options.latePauseMs,
    gateways: options.gateways ?? 2,
    consumers: options.consumers ?? 2,
    topology: options.topology ?? 'single',
  });
  try {
    say(`seed ${options.seed}: stack ready in ${seconds(Date.now() - startedMs)} s, data in ${world.stack.dataDir}`);
    const quiet = new AbortController();
    const pauseMs = options.visitPauseMs ?? VISIT_PAUSE_MS;
    const visiting = world.load.run(Number.MAX_SAFE_INTEGER, { signal: quiet.signal, pauseMs });
    const loadStartedMs = Date.now();
    await sleep(WARM_UP_MS);
    const { faults, violations } = await injectAll(world, options, say);
    quiet.abort();
    await Promise.all([visiting, world.late.stop(), world.fed.stop(), world.stopChanges()]);
    const loadMs = Date.now() - loadStartedMs;
    say('quiet; checking');
    const quietStartedMs = Date.now();
    const checked = { ...world, links: [...world.links, ...world.limited.map(({ link }) => link), ...world.made] };
    for (const check of [
      assertNoChangeLost,
      assertFedCounted,
      assertEverythingCounted,
      assertEverythingArchived,
      assertStatisticsExact,
      assertWithinLimits,
      assertOwnConnectionsUsed,
    ]) {
      await check(world.stack, checked).catch(async (error: Error) => {
        violations.push(error.message);
        await keepLogs(world, options, check.name);
      });
    }
    const checkMs = Date.now() - quietStartedMs;
    return { ...(await summary(world)), seed: options.seed, startedMs, loadMs, checkMs, faults, violations };
  } finally {
    await world.close();
  }
}

async function assertNoChangeLost(_stack: unknown, { changes }: Pick<OpenWorld, 'changes'>): Promise<void> {
  await changes.settle();
  const lost = await changes.lost();
  if (lost.length > 0) throw new Error(`acknowledged changes lost (${lost.length}): ${lost.slice(0, 10).join('; ')}`);
  if (changes.acknowledged === 0) throw new Error('no change was acknowledged');
}

async function assertWithinLimits(_stack: unknown, { limited, ledger }: Pick<OpenWorld, 'limited' | 'ledger'>) {
  for (const { link, limit } of limited) {
    const { length } = await ledger.visits([link.id]);
    if (length > limit) throw new Error(`${length} visits of a link for ${limit}`);
  }
}

/** Otherwise the run says nothing about them: gateways count through kafkajs, too. */
async function assertOwnConnectionsUsed(_stack: unknown, { counters }: Pick<OpenWorld, 'counters'>): Promise<void> {
  if (!((await sentBy(counters, 'socket')) > 0)) throw new Error('no visit went over an own connection of a gateway');
}

function sentBy(counters: OpenWorld['counters'], path: 'socket' | 'kafkajs'): Promise<number> {
  return counters.read('hopcount_produce_requests_total', { path });
}

async function injectAll(world: OpenWorld, options: ChaosOptions, say: (line: string) => void) {
  const byName = new Map(options.faults.map((fault) => [fault.name, fault]));
  const plan = planFaults(options.seed, [...byName.keys()], options.longestPauseMs);
  const endMs = Date.now() + options.minutes * 60_000;
  const faults: FaultReport[] = [];
  const violations: string[] = [];
  let injected = 0;
  const isOver = () => (options.minutes > 0 ? Date.now() >= endMs : injected >= byName.size);
  while (!isOver() && violations.length < MOST_VIOLATIONS && options.signal?.aborted !== true) {
    const planned = plan.next().value;
    injected += 1;
    await sleep(planned.pauseMs);
    const fault = byName.get(planned.name) as Fault;
    const atMs = Date.now();
    try {
      const report = await injectOne(world, fault, planned, options.recoveredWithinMs);
      faults.push(report);
      say(`  ${report.name}: ${report.proof.count} ${report.proof.what}; recovered in ${seconds(report.recoveryMs)} s`);
    } catch (error) {
      const message = `${fault.name}: ${(error as Error).message}`;
      violations.push(message);
      say(`  FAILED after ${seconds(Date.now() - atMs)} s: ${message}`);
      await keepLogs(world, options, `${injected}-${fault.name}`);
    }
  }
  return { faults, violations };
}

async function keepLogs({ stack }: OpenWorld, { seed, keepLogsIn, say }: ChaosOptions, name: string): Promise<void> {
  if (keepLogsIn === undefined) return;
  const kept = join(keepLogsIn, `logs-seed-${seed}-${name}`);
  await cp(join(stack.dataDir, 'logs'), kept, { recursive: true });
  say?.(`  logs of that moment: ${kept}`);
}

async function injectOne(
  world: OpenWorld,
  fault: Fault,
  planned: PlannedFault,
  recoveredWithinMs = RECOVERED_WITHIN_MS,
): Promise<FaultReport> {
  const startedMs = Date.now();
  const before = world.load.acknowledged.size;
  const injection: Injection = await fault.inject({ ...world, random: seededRandom(planned.seed) });
  await injection.heal?.();
  const healedMs = Date.now();
  await waitUntilCounted(world, recoveredWithinMs);
  const recoveryMs = Date.now() - healedMs;
  const proof = await injection.proof();
  if (!(proof.count > 0)) throw new Error(`the fault did not happen: 0 ${proof.what}`);
  return {
    name: fault.name,
    rows: fault.rows,
    seed: planned.seed,
    startedMs,
    lastedMs: healedMs - startedMs,
    recoveryMs,
    acknowledgedMeanwhile: world.load.acknowledged.size - before,
    proof,
  };
}

/** Until what had been acknowledged when the fault was over is counted, while visits go on. */
async function waitUntilCounted({ load, ledger, purged }: OpenWorld, timeoutMs: number): Promise<void> {
  const probes = [...withoutPurged(load.acknowledged, purged).keys()].slice(-PROBES);
  await waitUntil(async () => (await ledger.countEvents(probes)) === probes.length, {
    timeoutMs,
    everyMs: 100,
    describe: `the last ${probes.length} acknowledged visits are counted`,
  });
}

async function summary({ load, counters, ledger, links, fed, changes }: OpenWorld) {
  const total = (name: string, labels?: Record<string, string>) => counters.read(name, labels);
  return {
    acknowledged: load.acknowledged.size,
    inDoubt: load.inDoubt.size,
    refused: Object.fromEntries(load.refused),
    fed: fed.facts,
    changed: changes.acknowledged,
    counted: (await ledger.visits(links.map((link) => link.id))).length,
    atLeast: {
      spooled: await total('hopcount_visits_accepted_total', { path: 'spool' }),
      requestsOverOwnConnections: await sentBy(counters, 'socket'),
      requestsByKafkajs: await sentBy(counters, 'kafkajs'),
      dedupeHits: await total('hopcount_visits_dedupe_hits_total'),
      dedupeHitsOfLedger: await total('hopcount_visits_dedupe_hits_total', { cause: 'ledger' }),
      rebalances: await total('hopcount_kafka_consumer_rebalances_total'),
      fencedCommits: await total('hopcount_consumer_fenced_total'),
      transactionRetries: await total('hopcount_batch_retries_total'),
      deadLetters: await total('hopcount_visits_dead_lettered_total'),
    },
    highest: {
      spoolEvents: counters.highest('hopcount_spool_events'),
      spoolOldestAgeSeconds: counters.highest('hopcount_spool_oldest_age_seconds'),
    },
  };
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
