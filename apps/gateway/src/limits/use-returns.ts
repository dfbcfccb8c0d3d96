import { setTimeout as sleep } from 'node:timers/promises';

import type { LinkUses } from '@hopcount/links';
import { failpoint, type Logger } from '@hopcount/runtime';

/** Of uses that wait to be given back, about 20 MB; those beyond it stay used until this process has ended. */
const MAX_DUE = 100_000;
const MAX_PER_STATEMENT = 1_000;
const RETRY_MS = 500;
/** Between two tries of what cannot be done with yet. */
const LONGEST_PAUSE_MS = 30_000;
/** Longer than the system delivers what was left in the socket of a lost connection: a statement that takes uses. */
const IN_DOUBT_MS = 600_000;
const LAST_TRIES_MS = 1_000;

type Kind = 'give-back' | 'end';

interface Due {
  kind: Kind;
  /** Done no earlier: the use may be taken after it was given back. */
  untilMs: number;
  /** Not again before. */
  nextMs: number;
  /** 0: never tried. */
  pauseMs: number;
}

/**
 * Gives uses back in the background, again and again until PostgreSQL has done it: of visitors who left, of visits that
 * nothing could hold. Doing it twice changes nothing. What is left when the process ends is found by the next one in its
 * spool folder (EndedSources).
 */
export class UseReturns {
  /** Beyond {@link MAX_DUE}. */
  dropped = 0;
  readonly #due = new Map<string, Due>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    private readonly uses: Pick<LinkUses, 'giveBack' | 'end'>,
    /** Whether a visit may lie in the spool: a failing disk may keep one there that was refused. */
    private readonly spoolHoldsVisits: () => Promise<boolean>,
    private readonly logger: Logger,
    private readonly inDoubtMs = IN_DOUBT_MS,
  ) {}

  get waiting(): number {
    return this.#due.size;
  }

  /** Uses of visits that are nowhere. @param inDoubt whether they were taken, or may be yet, is not known */
  giveBack(eventIds: readonly string[], { inDoubt = false } = {}): void {
    this.#add(eventIds, 'give-back', inDoubt ? performance.now() + this.inDoubtMs : 0);
  }

  /** Of a visit that may have come to Kafka, or to the disk: it ends once all that lies in the spool is in Kafka. */
  end(eventId: string): void {
    this.#add([eventId], 'end', 0);
  }

  /** Tries for a moment to give back what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.race([this.#running, sleep(LAST_TRIES_MS, undefined, { ref: false })]);
  }

  #add(eventIds: readonly string[], kind: Kind, untilMs: number): void {
    for (const eventId of eventIds) {
      if (this.#hasRoom()) this.#due.set(eventId, { kind, untilMs, nextMs: 0, pauseMs: 0 });
      else this.dropped += 1;
    }
    this.#start();
  }

  /** For a new one the oldest goes, if it was given back before and would only be once more. */
  #hasRoom(): boolean {
    if (this.#due.size < MAX_DUE) return true;
    const [oldest] = this.#due;
    if (oldest?.[1].kind !== 'give-back' || oldest[1].pauseMs === 0) return false;
    return this.#due.delete(oldest[0]);
  }

  #start(): void {
    if (this.#due.size === 0 || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (!this.#isClosed) this.#start();
    });
  }

  async #run(): Promise<void> {
    while (this.#due.size > 0) {
      try {
        await this.#round();
      } catch (error) {
        this.logger.warn({ err: error }, 'uses of links cannot be given back now; this is retried');
      }
      if (this.#isClosed || this.#due.size === 0) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  /** All that is due, once. */
  async #round(): Promise<void> {
    for (const kind of ['give-back', 'end'] as const) {
      const due = this.#dueNow(kind);
      // Asked after they came: a refused visit is in the spool by then, or never.
      const isWaiting = kind === 'end' && due.length > 0 && (await this.spoolHoldsVisits());
      for (let from = 0; from < due.length; from += MAX_PER_STATEMENT) {
        const some = due.slice(from, from + MAX_PER_STATEMENT);
        const startedMs = performance.now();
        if (!isWaiting) await this.#do(kind, some);
        for (const eventId of some) this.#tried(eventId, startedMs, isWaiting);
      }
    }
  }

  #dueNow(kind: Kind): string[] {
    const nowMs = performance.now();
    const due: string[] = [];
    for (const [eventId, one] of this.#due)
      if (one.kind === kind && (one.nextMs <= nowMs || this.#isClosed)) due.push(eventId);
    return due;
  }

  async #do(kind: Kind, eventIds: readonly string[]): Promise<void> {
    failpoint('gateway.before-return');
    await (kind === 'end' ? this.uses.end(eventIds) : this.uses.giveBack(eventIds));
  }

  #tried(eventId: string, startedMs: number, isWaiting: boolean): void {
    const one = this.#due.get(eventId);
    if (one === undefined) return;
    if (!isWaiting && startedMs >= one.untilMs) return void this.#due.delete(eventId);
    one.pauseMs = Math.min(Math.max(2 * one.pauseMs, RETRY_MS), LONGEST_PAUSE_MS);
    const nextMs = startedMs + one.pauseMs;
    one.nextMs = isWaiting ? nextMs : Math.min(nextMs, one.untilMs);
  }
}
