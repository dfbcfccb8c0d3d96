import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type HostTotal, HostTotals } from '@hopcount/ledger';
import { Database, isServerAway } from '@hopcount/postgres';

import { ApiMetrics } from '../api.metrics.js';
import { Settings } from '../settings.js';

const EVERY_MS = 1_000;
/** Nobody has asked for so long: then it is followed just so that it needs not be loaded again. */
const ASKED_WITHIN_MS = 60_000;
const RESTING_EVERY_MS = 30_000;
/** Older totals are those of PostgreSQL, as long as it answers. */
const FRESH_MS = 3_000;

type Question = Parameters<HostTotals['read']>[0];

/** Totals of hosts in this process: loaded after it has started, then followed, every second while somebody asks. */
@Injectable()
export class HostMemory implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #totals: HostTotals;
  readonly #names: number;
  readonly #stop = new AbortController();
  #following: Promise<void> | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** Ends the rest. */
  #wake = new AbortController();
  /** PostgreSQL was, at the last look. */
  #isAway = false;

  constructor(
    database: Database,
    settings: Settings,
    private readonly metrics: ApiMetrics,
  ) {
    this.#names = settings.hostMemoryNames;
    this.#totals = new HostTotals(database, { names: this.#names });
  }

  onApplicationBootstrap(): void {
    if (this.#names > 0) this.#following = this.#followUntilStopped();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#following;
  }

  /** @returns undefined: PostgreSQL is to be asked */
  read(question: Question): HostTotal | undefined {
    if (performance.now() - this.#askedAtMs > ASKED_WITHIN_MS) this.#wake.abort();
    this.#askedAtMs = performance.now();
    return this.#totals.ageMs > FRESH_MS && !this.#isAway ? undefined : this.#totals.read(question);
  }

  /** Whatever its age: there is nobody else to ask. */
  readOld(question: Question): HostTotal | undefined {
    return this.#totals.read(question);
  }

  async #followUntilStopped(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#totals.follow();
        this.#isAway = false;
      } catch (error) {
        // What is known is still of its moment, and PostgreSQL is asked again.
        this.#isAway = isServerAway(error);
      }
      const { names, bytes } = this.#totals.size;
      this.metrics.hostMemoryNames.set(names);
      this.metrics.hostMemoryBytes.set(bytes);
      if (signal.aborted) return;
      this.#wake = new AbortController();
      const isAsked = performance.now() - this.#askedAtMs < ASKED_WITHIN_MS;
      await sleep(isAsked ? EVERY_MS : RESTING_EVERY_MS, undefined, this.#wake).catch(() => undefined);
      if (names > 0) this.metrics.hostMemoryAge.set(this.#totals.ageMs / 1_000);
    }
  }
}
