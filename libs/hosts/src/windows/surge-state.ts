import { CELL_MS, WINDOW_MS } from './host-windows.js';
import type { SurgeBase } from './surge-base.js';

export interface SurgeRules {
  /** Visits in five minutes below which nothing is a surge. */
  minimum: number;
  /** In place of it for hosts too little is known of. */
  minimumOfNew: number;
  /** How many times the base. */
  factor: number;
}

export const SURGE_RULES: SurgeRules = { minimum: 100, minimumOfNew: 500, factor: 4 };

/** Above the base by so many times what chance makes of it. */
const DEVIATIONS = 5;
const OPEN_AFTER_MS = 30_000;
const CLOSE_FACTOR = 2;
const CLOSE_AFTER_MS = WINDOW_MS;
const QUIET_MS = 3_600_000;
const ESCALATION_FACTOR = 2;
/** What lasts a day is no surge any more: it is what is usual. */
const LONGEST_MS = 86_400_000;

/**
 * quiet → rising: the window is a surge. rising → quiet: it is none, before 30 s. rising → open. open → resting: below twice the
 * base (or half the minimum) for five minutes (`over`), or a day long (`lasting`). resting → quiet: after an hour. resting → open: a surge for 30 s
 * that is twice as large as the last. `level` is the most of the first five minutes, or what it escalated to.
 */
export type SurgeState =
  | { is: 'rising'; since: number }
  | { is: 'open'; since: number; level: number; belowSince?: number }
  | { is: 'resting'; until: number; level: number; risingSince?: number };

export type SurgeChange =
  | { what: 'opened' | 'escalated' }
  /** `lasting`: its buckets count for later bases, others' do not. */
  | { what: 'closed'; reason: 'over' | 'lasting'; since: number };

/** A window of a host, and what was usual. */
export interface SurgeMeasure {
  /** The window's end, in ms of event time. */
  at: number;
  visits: number;
  base: SurgeBase;
}

export function isSurge({ visits, base }: SurgeMeasure, rules: SurgeRules): boolean {
  const chance = Math.sqrt(base.visits + 1 + base.deviation ** 2);
  const minimum = base.isNew ? rules.minimumOfNew : rules.minimum;
  return visits >= minimum && visits >= rules.factor * base.visits && visits - base.visits >= DEVIATIONS * chance;
}

/** @returns undefined as state: quiet */
export function nextSurgeState(
  state: SurgeState | undefined,
  measure: SurgeMeasure,
  rules: SurgeRules,
): { state?: SurgeState; change?: SurgeChange } {
  if (state?.is === 'open') return nextOfOpen(state, measure, rules);
  const { at, visits } = measure;
  const resting = state?.is === 'resting' && at < state.until ? state : undefined;
  if (!isSurge(measure, rules) || (resting !== undefined && visits < ESCALATION_FACTOR * resting.level)) {
    return resting === undefined ? {} : { state: { is: 'resting', until: resting.until, level: resting.level } };
  }
  const risingSince = state?.is === 'rising' ? state.since : state?.risingSince;
  // The first window that is one ends a cell after it began to be.
  const since = risingSince ?? at - CELL_MS;
  if (at - since >= OPEN_AFTER_MS) {
    return { state: { is: 'open', since: at, level: visits }, change: { what: 'opened' } };
  }
  return { state: resting === undefined ? { is: 'rising', since } : { ...resting, risingSince: since } };
}

function nextOfOpen(
  state: SurgeState & { is: 'open' },
  { at, visits, base }: SurgeMeasure,
  { minimum }: SurgeRules,
): { state: SurgeState; change?: SurgeChange } {
  const { since, level } = state;
  const isBelow = visits < Math.max(CLOSE_FACTOR * base.visits, minimum / CLOSE_FACTOR);
  const belowSince = isBelow ? (state.belowSince ?? at - CELL_MS) : undefined;
  const isOver = belowSince !== undefined && at - belowSince >= CLOSE_AFTER_MS;
  if (isOver || at - since >= LONGEST_MS) {
    return {
      state: { is: 'resting', until: at + QUIET_MS, level },
      change: { what: 'closed', reason: isOver ? 'over' : 'lasting', since },
    };
  }
  // While the window fills, what it holds doubles by itself.
  if (at - since < WINDOW_MS) return { state: { is: 'open', since, level: Math.max(level, visits), belowSince } };
  if (visits >= ESCALATION_FACTOR * level) {
    return { state: { is: 'open', since, level: visits }, change: { what: 'escalated' } };
  }
  return { state: { is: 'open', since, level, belowSince } };
}
