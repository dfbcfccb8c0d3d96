import { HOST_KINDS, type HostKind } from '@hopcount/contracts';
import {
  bucketsOf,
  CELL_MS,
  type HostPast,
  HostWindows,
  SurgeDetector,
  type SurgeEvent,
  WINDOW_MS,
} from '@hopcount/hosts';
import { BUCKET_MS, bucketOf, HostTail, type HostTailRead, MAX_TAIL_AGE_MS } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';
import { HostPasts } from '@hopcount/statistics';

import { explainSurge } from './explain-surge.js';
import { slotImbalance } from './slot-imbalance.js';
import { type ExplainedSurge, type KeptState, type SearchState, SurgeStore } from './surge-store.js';
import { WatchedHosts } from './watched-hosts.js';

/** Visits are published so soon after their time; later ones are missing where they would have been. */
const PUBLISHED_WITHIN_MS = 15_000;
/** Of time in which nobody searched, that of a day: what is older is no news. */
const MOST_BEHIND_MS = 86_400_000;
/** Quarters of an hour that one run searches, and sums of changes it holds when it begins. */
const STEPS_OF_RUN = 12;
const MOST_SUMS = 300_000;
/** Surges of one step that are explained; of more at once those that come first. */
const MOST_EXPLAINED = 10;
/** A searcher that has not moved on for so long has died. */
const TAKEN_OVER_AFTER_SECONDS = 60;
/** Hosts that are too many to be told apart may have gone meanwhile. */
const RENEW_FULL_MS = 3_600_000;

interface SearchReport {
  surges: ExplainedSurge[];
  /** Too much had come together: time that was not searched, in ms. */
  skippedMs: number;
}

/** Where a search is. Lost, it is made anew from PostgreSQL. */
interface Watch {
  hosts: WatchedHosts;
  windows: HostWindows;
  detector: SurgeDetector;
  pasts: Map<number, HostPast>;
  /** As `pasts` and `detector` are of it. */
  bucket: number;
  snapshot: string;
  startedAtMs: number;
  readAtMs: number;
  /** What PostgreSQL has as searched. */
  saved: { until: number; states: Map<string, KeptState & { text: string }> };
}

/**
 * Finds surges in what is committed by host, and keeps them. Windows, states and names are in memory; whatever fails, or another
 * searcher having moved on, makes them anew from what PostgreSQL has. So each stretch of time is searched once, whoever dies.
 */
export class SurgeSearch {
  readonly #tail: HostTail;
  readonly #store: SurgeStore;
  readonly #pasts: HostPasts;
  #watch: Watch | undefined;

  constructor(
    private readonly database: Database,
    daysBefore: HostPast['daysBefore'],
    private readonly settings: { sums?: number; takenOverAfterSeconds?: number } = {},
  ) {
    this.#tail = new HostTail(database);
    this.#store = new SurgeStore(database);
    this.#pasts = new HostPasts(database, daysBefore);
  }

  /** @param countedUpTo as measured before; undefined: not known now, so nothing is searched, but what is committed is followed */
  async search(countedUpTo: number | undefined, signal: AbortSignal): Promise<SearchReport> {
    const report: SearchReport = { surges: [], skippedMs: 0 };
    const watch = this.#watch;
    // Whatever throws from here on leaves none behind.
    this.#watch = undefined;
    const followed = watch === undefined ? undefined : await this.#follow(watch);
    if (countedUpTo === undefined) {
      this.#watch = followed;
      return report;
    }
    const limit = Math.floor((countedUpTo - PUBLISHED_WITHIN_MS) / CELL_MS) * CELL_MS;
    const current = followed ?? (await this.#begin(limit, report));
    if (current === undefined) return report;
    for (let step = 0; step < STEPS_OF_RUN && current.windows.endAt < limit; step += 1) {
      if (!(await this.#searchStep(current, limit, signal, report))) return report;
    }
    this.#watch = current;
    return report;
  }

  /** @returns undefined: it has missed something, or is full */
  async #follow(watch: Watch): Promise<Watch | undefined> {
    const isOld = performance.now() - watch.readAtMs > MAX_TAIL_AGE_MS;
    const isFull = watch.hosts.isFull && performance.now() - watch.startedAtMs > RENEW_FULL_MS;
    if (isOld || isFull) return undefined;
    const read = await this.#tail.read(watch.snapshot, watch.windows.endAt / CELL_MS, this.#mostSums);
    watch.readAtMs = performance.now();
    watch.snapshot = read.snapshot;
    return addAll(watch, read) ? watch : undefined;
  }

  /** From where the search before ended; its windows are filled again with what is still kept. @returns undefined: somebody else searches */
  async #begin(limit: number, report: SearchReport): Promise<Watch | undefined> {
    const seconds = this.settings.takenOverAfterSeconds ?? TAKEN_OVER_AFTER_SECONDS;
    const { until, states, isSearched } = await this.#store.read(seconds);
    if (isSearched) return undefined;
    const startedAtMs = performance.now();
    const kept = Math.max(until, limit - MOST_BEHIND_MS);
    for (const from of [kept, Math.max(until, limit)]) {
      const read = await this.#tail.read(null, Math.floor((from - WINDOW_MS) / CELL_MS), this.#mostSums);
      const hosts = new WatchedHosts();
      const windows = new HostWindows(from - WINDOW_MS, hosts.parentOf);
      const pasts = new Map<number, HostPast>();
      const detector = new SurgeDetector(windows, (host) => pasts.get(host), hosts.parentOf);
      for (const { kind, name, state } of states) {
        const number = hosts.numberOf(kind, name);
        if (number !== undefined) detector.restore(number, state);
      }
      const saved = {
        until,
        states: new Map(states.map((one) => [`${one.kind} ${one.name}`, { ...one, text: JSON.stringify(one.state) }])),
      };
      const watch: Watch = {
        ...{ hosts, windows, detector, pasts, bucket: 0, startedAtMs, readAtMs: startedAtMs },
        ...{ snapshot: read.snapshot, saved },
      };
      if (!addAll(watch, read)) continue;
      while (windows.endAt < from) windows.move();
      report.skippedMs += from - until;
      return watch;
    }
    throw new Error('five minutes of visits have more hosts than a search takes; it is tried again');
  }

  /** To the end of a quarter of an hour at most: surges it finds are in the pasts of the next. @returns false: begin anew */
  async #searchStep(watch: Watch, limit: number, signal: AbortSignal, report: SearchReport): Promise<boolean> {
    const { windows, detector, pasts, hosts } = watch;
    const end = Math.min(limit, bucketOf(windows.endAt) + BUCKET_MS);
    const { now } = bucketsOf(windows.endAt + CELL_MS);
    if (now !== watch.bucket) pasts.clear();
    watch.bucket = now;
    const events: SurgeEvent[] = [];
    for (;;) {
      const found = detector.evaluate(end);
      events.push(...found.events);
      if (found.wanted.length === 0) break;
      if (signal.aborted) return false;
      const read = await this.#pasts.read(
        found.wanted.map((host) => hosts.hostOf(host)),
        now,
      );
      found.wanted.forEach((host, nth) => pasts.set(host, read[nth] as HostPast));
    }
    const surges = await this.#explain(watch, events);
    if (signal.aborted) return false;
    const states = changedStates(watch);
    const step = { found: watch.saved.until, until: windows.endAt, surges, states };
    if (!(await this.#store.save(step))) return false;
    report.surges.push(...surges);
    watch.saved.until = windows.endAt;
    for (const one of states) {
      const key = `${one.kind} ${one.name}`;
      if (one.state === null) watch.saved.states.delete(key);
      else watch.saved.states.set(key, { ...one, text: JSON.stringify(one.state) });
    }
    return true;
  }

  async #explain({ hosts }: Watch, events: readonly SurgeEvent[]): Promise<ExplainedSurge[]> {
    const surges: ExplainedSurge[] = [];
    let left = MOST_EXPLAINED;
    for (const event of events) {
      const host = hosts.hostOf(event.host);
      // Counts that were fed are of no visits.
      const isExplained = event.what !== 'closed' && left > 0 && HOST_KINDS[host.kind] !== 'fed';
      if (isExplained) left -= 1;
      const explanation = isExplained ? await explainSurge(this.database, host, event.at) : null;
      surges.push({ host, event, explanation });
    }
    return surges;
  }

  /** In PostgreSQL, whoever searches. */
  measure(): Promise<SearchState> {
    return this.#store.measure();
  }

  /** By kind of host; of a process that does not search, of none. */
  imbalance(): Map<HostKind, number> {
    return this.#watch === undefined
      ? new Map<HostKind, number>()
      : slotImbalance(this.#watch.hosts, this.#watch.windows);
  }

  get #mostSums(): number {
    return this.settings.sums ?? MOST_SUMS;
  }
}

/** @returns false: there is more than memory is for */
function addAll({ hosts, windows }: Watch, { changes, isCut }: HostTailRead): boolean {
  if (isCut) return false;
  for (const [kind, name, cell, visits] of changes) {
    const host = hosts.numberOf(kind, name);
    if (host !== undefined && windows.add(host, cell * CELL_MS, visits) === 'full') return false;
  }
  return true;
}

function changedStates({ hosts, detector, saved }: Watch): KeptState[] {
  const changed: KeptState[] = [];
  const present = new Set<string>();
  for (const [number, state] of detector.states) {
    const { kind, name } = hosts.hostOf(number);
    const key = `${kind} ${name}`;
    present.add(key);
    if (saved.states.get(key)?.text !== JSON.stringify(state)) changed.push({ kind, name, state });
  }
  for (const [key, { kind, name }] of saved.states) {
    if (!present.has(key)) changed.push({ kind, name, state: null });
  }
  return changed;
}
