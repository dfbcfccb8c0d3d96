import { CELL_MS, type HostWindows } from './host-windows.js';
import { bucketsOf, type HostPast, type SurgeBase, surgeBase } from './surge-base.js';
import {
  nextSurgeState,
  SURGE_RULES,
  type SurgeChange,
  type SurgeMeasure,
  type SurgeRules,
  type SurgeState,
} from './surge-state.js';

/** What an alert row says. */
export type SurgeEvent = SurgeChange & SurgeMeasure & { host: number };

/** Part of a host's excess over its base that one below it must have to be blamed in its place. */
const BLAMED_SHARE = 0.8;

/**
 * Finds surges in windows, moving them to `countedUpTo` and never further: what is not counted yet cannot be judged. One surge is
 * one alert: at the lowest host that has most of it, not at each of those above.
 */
export class SurgeDetector {
  readonly #states = new Map<number, SurgeState>();
  /** They are the same for all windows that touch the same buckets. */
  readonly #bases = new Map<number, SurgeBase>();
  #basesFor = { now: 0, before: 0 };
  /** The windows were moved, and not all bases were known to judge them. */
  #isJudged = true;

  /**
   * @param pastOf undefined: it is not loaded
   * @param parentOf as the windows have it
   */
  constructor(
    private readonly windows: HostWindows,
    private readonly pastOf: (host: number) => HostPast | undefined,
    private readonly parentOf: (host: number) => number | undefined,
    private readonly rules: SurgeRules = SURGE_RULES,
  ) {}

  /** Of the detector before, whose `states` were kept. */
  restore(host: number, state: SurgeState): void {
    this.#states.set(host, state);
  }

  /** Hosts that rise, surge or rest, with all another detector needs to go on where this one is. */
  get states(): ReadonlyMap<number, SurgeState> {
    return this.#states;
  }

  get openCount(): number {
    return this.#openHosts().length;
  }

  /**
   * @param countedUpTo event time in ms; all visits before it have been added to the windows
   * @returns what happened, in the order of time; `wanted`: hosts whose past is to be loaded before it goes on, by
   * another call
   */
  evaluate(countedUpTo: number): { events: SurgeEvent[]; wanted: number[] } {
    const events: SurgeEvent[] = [];
    for (;;) {
      if (this.#isJudged) {
        if (this.windows.endAt + CELL_MS > countedUpTo) return { events, wanted: [] };
        this.windows.move();
        this.#isJudged = false;
      }
      const watched = [...new Set([...this.windows.hostsWith(this.rules.minimum), ...this.#states.keys()])];
      const wanted = [...new Set(watched.flatMap((host) => [host, ...this.#above(host)]))].filter(
        (host) => this.pastOf(host) === undefined,
      );
      if (wanted.length > 0) return { events, wanted };
      events.push(...this.#judge(watched));
      this.#isJudged = true;
    }
  }

  #judge(watched: readonly number[]): SurgeEvent[] {
    const events: SurgeEvent[] = [];
    const measures = new Map(watched.map((host) => [host, this.#measure(host)]));
    // Those above first: what they blame is no more looked at by itself.
    const inOrder = watched
      .map((host) => ({ host, depth: this.#above(host).length }))
      .sort((a, b) => a.depth - b.depth);
    for (const { host } of inOrder) {
      const measure = measures.get(host) as SurgeMeasure;
      const state = this.#states.get(host);
      if (state?.is !== 'open' && this.#above(host).some((above) => this.#states.get(above)?.is === 'open')) {
        if (state?.is === 'rising') this.#states.delete(host);
        continue;
      }
      const visits = state?.is === 'open' ? measure.visits : measure.visits - this.#explained(host, measures);
      const next = nextSurgeState(state, { ...measure, visits }, this.rules);
      const blamed = next.change?.what === 'opened' ? this.#lowest(host, measures) : host;
      if (blamed !== host) {
        this.#set(host, state?.is === 'resting' ? state : undefined);
        events.push(...this.#open(blamed, measures.get(blamed) as SurgeMeasure));
        continue;
      }
      this.#set(host, next.state);
      if (next.change !== undefined) events.push({ ...measure, visits, ...next.change, host });
    }
    return events;
  }

  /** It surges by what the host above it has waited for; at rest it may not. */
  #open(host: number, measure: SurgeMeasure): SurgeEvent[] {
    const state = this.#states.get(host);
    if (state?.is === 'open' || (state?.is === 'resting' && measure.at < state.until)) return [];
    this.#states.set(host, { is: 'open', since: measure.at, level: measure.visits });
    return [{ ...measure, what: 'opened', host }];
  }

  #lowest(host: number, measures: ReadonlyMap<number, SurgeMeasure>): number {
    const needed = BLAMED_SHARE * excessOf(measures.get(host));
    for (const [child, measure] of measures) {
      if (this.parentOf(child) === host && excessOf(measure) >= needed) return this.#lowest(child, measures);
    }
    return host;
  }

  /** Excess of surges below the host that are known: no second alert is made of it. That of the topmost has those below them, too. */
  #explained(host: number, measures: ReadonlyMap<number, SurgeMeasure>): number {
    const open = new Set(this.#openHosts());
    const topmost = [...open].filter(
      (one) => this.#above(one).find((above) => above === host || open.has(above)) === host,
    );
    return topmost.reduce((sum, one) => sum + Math.max(0, excessOf(measures.get(one))), 0);
  }

  #measure(host: number): SurgeMeasure {
    const at = this.windows.endAt;
    return { at, visits: this.windows.visitsOf(host), base: this.#baseOf(host, at) };
  }

  /** A host too little is known of is held against those above it. */
  #baseOf(host: number, at: number): SurgeBase {
    const own = this.#ownBaseOf(host, at);
    if (!own.isNew) return own;
    const above = this.#above(host).map((one) => this.#ownBaseOf(one, at));
    return { ...(above.find(({ isNew }) => !isNew) ?? own), isNew: true };
  }

  #ownBaseOf(host: number, at: number): SurgeBase {
    const { now, before } = bucketsOf(at);
    if (now !== this.#basesFor.now || before !== this.#basesFor.before) {
      this.#bases.clear();
      this.#basesFor = { now, before };
    }
    const known = this.#bases.get(host) ?? surgeBase(this.pastOf(host) as HostPast, at);
    this.#bases.set(host, known);
    return known;
  }

  #openHosts(): number[] {
    return [...this.#states].filter(([, { is }]) => is === 'open').map(([host]) => host);
  }

  #above(host: number): number[] {
    const above: number[] = [];
    for (let at = this.parentOf(host); at !== undefined; at = this.parentOf(at)) above.push(at);
    return above;
  }

  #set(host: number, state: SurgeState | undefined): void {
    if (state === undefined) this.#states.delete(host);
    else this.#states.set(host, state);
  }
}

/** Of a new host all is excess: the base it is held against is not its own. */
function excessOf(measure: SurgeMeasure | undefined): number {
  if (measure === undefined) return 0;
  return measure.visits - (measure.base.isNew ? 0 : measure.base.visits);
}
