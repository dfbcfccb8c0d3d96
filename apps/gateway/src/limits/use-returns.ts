import { setTimeout as sleep } from 'node:timers/promises';

import type { LinkUses } from '@hopcount/links';
import { failpoint, type Logger } from '@hopcount/runtime';

/** Of uses that wait to be given back; those beyond it stay used until this process has ended. */
const MAX_DUE = 100_000;
const MAX_PER_STATEMENT = 1_000;
const RETRY_MS = 500;
/** Longer than PostgreSQL may work on the statement that may have taken a use (`statement_timeout`). */
const IN_DOUBT_MS = 10_000;
const LAST_TRIES_MS = 1_000;

type Kind = 'give-back' | 'end';

interface Due {
  kind: Kind;
  /** Done no earlier: the use may be taken after it was given back. */
  untilMs: number;
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
    private readonly logger: Logger,
    private readonly inDoubtMs = IN_DOUBT_MS,
  ) {}

  get waiting(): number {
    return this.#due.size;
  }

  /** Uses of visits that are nowhere. @param inDoubt whether they were taken, or may be yet, is not known */
  giveBack(eventIds: readonly string[], { inDoubt = false } = {}): void {
    this.#add(eventIds, { kind: 'give-back', untilMs: inDoubt ? performance.now() + this.inDoubtMs : 0 });
  }

  /** Of a visit that may have come to Kafka, and that this process will not publish again. */
  end(eventId: string): void {
    this.#add([eventId], { kind: 'end', untilMs: 0 });
  }

  /** Tries for a moment to give back what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.race([this.#running, sleep(LAST_TRIES_MS, undefined, { ref: false })]);
  }

  #add(eventIds: readonly string[], due: Due): void {
    for (const eventId of eventIds) {
      if (this.#due.size < MAX_DUE) this.#due.set(eventId, due);
      else this.dropped += 1;
    }
    this.#start();
  }

  #start(): void {
    if (this.#due.size === 0 || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (!this.#isClosed) this.#start();
    });
  }

  async #run(): Promise<void> {
    let isLogged = false;
    while (this.#due.size > 0) {
      try {
        const isDone = await this.#round();
        if (isDone) continue;
      } catch (error) {
        if (!isLogged) this.logger.warn({ err: error }, 'uses of links cannot be given back now; they are later');
        isLogged = true;
      }
      if (this.#isClosed) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  /** All that is due, once. False when some of it is to be done again. */
  async #round(): Promise<boolean> {
    let isDone = true;
    for (const kind of ['give-back', 'end'] as const) {
      const due = [...this.#due].filter(([, one]) => one.kind === kind);
      for (let from = 0; from < due.length; from += MAX_PER_STATEMENT) {
        const some = due.slice(from, from + MAX_PER_STATEMENT);
        const eventIds = some.map(([eventId]) => eventId);
        const startedMs = performance.now();
        failpoint('gateway.before-return');
        await (kind === 'end' ? this.uses.end(eventIds) : this.uses.giveBack(eventIds));
        for (const [eventId, { untilMs }] of some) {
          if (startedMs >= untilMs) this.#due.delete(eventId);
          else isDone = false;
        }
      }
    }
    return isDone;
  }
}
