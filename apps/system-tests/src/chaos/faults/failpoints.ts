import type { ProcessKind } from '../../harness/stack.js';
import type { Fault, Injection } from '../fault.js';
import type { World } from '../world.js';
import { brokerPids, pauseProcesses, pidsOf, waitUntilReplaced } from './processes.js';

const FIRES_WITHIN_MS = 60_000;
const MOST_HITS = 20;
const BROKER_PAUSE_MS = 4_000;

interface KillOptions {
  during?: (world: World) => Promise<unknown>;
  /** Of the process that gets there; default: the point's name up to the dot. */
  kind?: ProcessKind;
  mostHits?: number;
}

/** kill -9 at a named point of the code, at one of the next few times it is reached. */
export function killAt(point: string, rows: string[], options: KillOptions = {}): Fault {
  const { during, kind = point.slice(0, point.indexOf('.')) as ProcessKind } = options;
  const mostHits = options.mostHits ?? (during === undefined ? MOST_HITS : 3);
  return {
    name: `kill-at-${point.replace('.', '-')}`,
    rows,
    inject: async (world) => {
      const { failpoints } = world;
      const firedBefore = failpoints.fired(point);
      const before = await pidsOf(world, kind);
      failpoints.arm(point, 'kill', 1 + Math.floor(world.random() * mostHits));
      try {
        const meanwhile = during?.(world);
        await failpoints.waitUntilFired(point, firedBefore + 1, FIRES_WITHIN_MS);
        await meanwhile;
      } finally {
        failpoints.disarm(point);
      }
      await waitUntilKilledIsBack(world, kind, before, point);
      return proofOf(world, point, firedBefore);
    },
  };
}

async function waitUntilKilledIsBack(world: World, kind: ProcessKind, before: number[], point: string): Promise<void> {
  await waitUntilReplaced(world, kind, before, world.failpoints.firedBy(point));
}

function proofOf({ failpoints }: World, point: string, firedBefore: number): Injection {
  const count = failpoints.fired(point) - firedBefore;
  return { proof: () => Promise.resolve({ what: `kills at ${point}`, count }) };
}

/** Deaf for longer than the gateway waits for acknowledgements: visits go to the spool. */
const pauseBroker = async (world: World) => pauseProcesses(await brokerPids(world), BROKER_PAUSE_MS);

export const FAILPOINT_FAULTS: Fault[] = [
  killAt('gateway.before-produce', ['F1']),
  killAt('gateway.after-produce-before-ack', ['F1']),
  killAt('gateway.after-ack-before-answer', ['F1']),
  killAt('gateway.spool-after-append-before-fsync', ['F2'], { during: pauseBroker }),
  killAt('gateway.spool-after-fsync', ['F2'], { during: pauseBroker }),
  killAt('consumer.after-poll', ['F4']),
  killAt('consumer.thread-question', ['F4']),
  killAt('consumer.after-claim', ['F4']),
  killAt('consumer.after-staging', ['F4']),
  killAt('consumer.mid-transaction', ['F4']),
  killAt('consumer.before-commit', ['F4']),
  killAt('consumer.after-commit-before-marks', ['F4']),
  killAt('consumer.after-marks-before-offset', ['F4']),
];
