import { type Random, seededRandom } from '../harness/random.js';

export interface PlannedFault {
  name: string;
  /** Of everything the fault itself draws. */
  seed: number;
  /** Undisturbed load before it. */
  pauseMs: number;
}

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 3_000;

/**
 * The schedule, without end: round after round of all faults, each round in another order, so that over
 * rounds every fault follows every other. A pure function of the seed: the same seed and names give the
 * same schedule, however far a run gets.
 */
export function* planFaults(
  seed: number,
  names: readonly string[],
  longestPauseMs = LONGEST_PAUSE_MS,
): Generator<PlannedFault, never> {
  const random = seededRandom(seed);
  for (;;) {
    for (const name of shuffled(names, random)) {
      const pauseMs = Math.round(SHORTEST_PAUSE_MS + random() * (longestPauseMs - SHORTEST_PAUSE_MS));
      yield { name, seed: Math.floor(random() * 2 ** 32), pauseMs };
    }
  }
}

function shuffled(names: readonly string[], random: Random): string[] {
  const order = [...names];
  for (let index = order.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [order[index], order[other]] = [order[other] as string, order[index] as string];
  }
  return order;
}
