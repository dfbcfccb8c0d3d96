import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { LiveVisitsAnswer } from '@hopcount/contracts';
import type { Identity } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';
import { COUNTED_FROM_VISITS, type LiveScope, LiveVisits } from '@hopcount/statistics';

import { API_ERRORS } from '../../api.errors.js';
import { EventStream } from '../../live/event-stream.js';
import { EventStreams, STREAMS } from '../../live/event-streams.js';
import { Settings } from '../../settings.js';
import { VisitLogEnds } from '../log-ends.js';
import { VisitsQuestions } from '../visits-statistics/visits-questions.js';

const EVERY_MS = 1_000;
/** Older ones are not answered with. More than the time between two counts: who asks while the next one is made need not wait for it. */
const FRESH_MS = 1_500;
/** It goes on for so long after somebody asked: who asks every second finds it counted. */
const GOES_ON_MS = 5_000;
/** After a count it rests for three times as long as that took, so a quarter of the time is spent at most. */
const REST = 3;
/** Each is a part of the statement. */
const SCOPES_AT_MOST = 50;
const COUNTED_IN = { days: 0, files: 0, ledgerHours: 1 };

interface Followed {
  scope: LiveScope;
  /** They ask once. */
  waiters: ((answer: LiveVisitsAnswer | Error) => void)[];
  streams: Set<EventStream>;
  askedAtMs: number;
}

/** Counts what anybody follows or asked for within five seconds: all of it together, once a second, and else never. */
@Injectable()
export class LiveVisitsHub implements OnModuleDestroy {
  readonly #followed = new Map<string, Followed>();
  readonly #stop = new AbortController();
  #ticking: Promise<void> | undefined;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  #restsUntilMs = 0;
  /** Of the last count that did not fail, by scope. */
  #counted = new Map<string, LiveVisitsAnswer>();

  constructor(
    private readonly visits: LiveVisits,
    private readonly logEnds: VisitLogEnds,
    private readonly questions: VisitsQuestions,
    private readonly streams: EventStreams,
    private readonly settings: Settings,
  ) {}

  /** As it was counted just now, or with the next count. @throws AppError `too-many-readers` (retryable) */
  async ask(identity: Identity, scope: LiveScope): Promise<LiveVisitsAnswer> {
    const name = nameOf(scope);
    const [counted, followed] = [this.#counted.get(name), this.#followed.get(name)];
    if (followed !== undefined) followed.askedAtMs = performance.now();
    if (counted !== undefined && performance.now() - this.#countedAtMs < FRESH_MS) return counted;
    const leave = this.#enter(identity, scope);
    try {
      const answer = await new Promise<LiveVisitsAnswer | Error>((resolve) => {
        this.#of(scope).waiters.push(resolve);
        this.#ticking ??= this.#tickWhileFollowed();
      });
      if (answer instanceof Error) throw answer;
      return answer;
    } finally {
      leave();
    }
  }

  /** With each count, for as long as the key works or the session lasts, and reaches the same. @throws AppError `too-many-readers` (retryable) */
  follow(identity: Identity, scope: LiveScope): EventStream {
    const leave = this.#enter(identity, scope);
    const { kind, id, hash } = identity;
    const stream = this.streams.add(new EventStream({ kind, id, hash, reach: scope.reach }, STREAMS.counts), leave);
    const { streams } = this.#of(scope);
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    this.#ticking ??= this.#tickWhileFollowed();
    return stream;
  }

  async onModuleDestroy(): Promise<void> {
    this.#stop.abort();
    await this.#ticking;
  }

  #of(scope: LiveScope): Followed {
    const name = nameOf(scope);
    const followed = this.#followed.get(name) ?? { scope, waiters: [], streams: new Set(), askedAtMs: 0 };
    followed.askedAtMs = performance.now();
    this.#followed.set(name, followed);
    return followed;
  }

  /** @returns to be called once when it leaves */
  #enter(identity: Identity, scope: LiveScope): () => void {
    this.visits.expectReached(scope);
    if (this.#followed.size >= SCOPES_AT_MOST) this.#forget(() => true);
    const hasRoom = this.#followed.size < SCOPES_AT_MOST || this.#followed.has(nameOf(scope));
    if (!hasRoom || this.#stop.signal.aborted) {
      throw new AppError('too-many-readers', API_ERRORS['too-many-readers'], { retryable: true });
    }
    return this.streams.enter('counts', identity);
  }

  async #tickWhileFollowed(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#followed.size > 0) {
      await sleep(Math.max(0, this.#restsUntilMs - performance.now()), undefined, { signal }).catch(() => undefined);
      const beganAtMs = performance.now();
      await this.#tick();
      const now = performance.now();
      this.#restsUntilMs = Math.max(beganAtMs + EVERY_MS, now + REST * (now - beganAtMs));
      this.#forget(({ askedAtMs }) => now - askedAtMs > GOES_ON_MS);
    }
    this.#ticking = undefined;
  }

  /** Those that nobody waits for or follows. */
  #forget(isDone: (one: Followed) => boolean): void {
    for (const [name, one] of this.#followed) {
      if (one.waiters.length + one.streams.size === 0 && isDone(one)) this.#followed.delete(name);
    }
  }

  /** Who comes meanwhile waits for the next one. */
  async #tick(): Promise<void> {
    const followed = [...this.#followed].map(([name, { waiters, ...one }]) => ({
      ...one,
      name,
      waiters: waiters.splice(0),
    }));
    try {
      const answers = await this.#count(followed.map(({ scope }) => scope));
      this.#counted = new Map(followed.map(({ name }, nth) => [name, answers[nth]!]));
      this.#countedAtMs = performance.now();
      for (const { name, waiters, streams } of followed) {
        const answer = this.#counted.get(name)!;
        // A reader that is full gets a later count, which says all that this one does.
        for (const stream of streams) stream.write(`data: ${JSON.stringify(answer)}\n\n`);
        for (const waiter of waiters) waiter(answer);
      }
    } catch (error) {
      // Streams get the next count, whoever asked once is told, and what was counted before grows old.
      this.streams.failed(error);
      for (const waiter of followed.flatMap(({ waiters }) => waiters)) waiter(error as Error);
    }
  }

  async #count(scopes: readonly LiveScope[]): Promise<LiveVisitsAnswer[]> {
    // Before the snapshot: what was published by then is either counted in it or pending.
    const known = await this.logEnds.read();
    const checkpointsOf = this.settings.counting;
    const { counts, range, ...state } = await this.visits.read(scopes, { nowMs: Date.now(), checkpointsOf });
    const asked = { known, range: { ...range, timeZone: this.settings.reportingTimeZone, interval: '15min' } as const };
    // The ledger has all visits of the last minutes.
    const described = this.questions.describe(asked, { ...state, ...COUNTED_FROM_VISITS, readFrom: COUNTED_IN });
    return counts.map((count, nth) => ({
      ...described,
      // Of orphan visits no position in the log is kept.
      ...(scopes[nth]?.scope.of === 'orphans' && { countedUpTo: null, pending: null, uncounted: 0 }),
      ...count,
    }));
  }
}

function nameOf({ reach, scope, filters }: LiveScope): string {
  return `${reach.literals} ${reach.hasOrphans} ${JSON.stringify([scope, filters])}`;
}
