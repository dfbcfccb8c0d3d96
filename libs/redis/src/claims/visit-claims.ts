import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import type { RedisAvailability } from '../client/redis-availability.js';
import { defineScript, type Script } from '../load-lua.js';

/**
 * - `claimed`: nobody else is at it (a claim this owner made before counts as its own)
 * - `done`: committed before; the work may be skipped
 * - `held`: another owner's live claim; carry on, the ledger decides
 * - `unknown`: Redis is away; carry on
 */
export type ClaimOutcome = 'claimed' | 'done' | 'held' | 'unknown';

export interface VisitClaimsOptions {
  /** One name per process life, so that a restarted process does not take old claims for its own. */
  owner: string;
  claimTtlMs: number;
  /** Covers the redelivery window; 181 bytes of Redis memory a visit for that long. */
  doneTtlMs: number;
}

const OUTCOMES: Record<string, ClaimOutcome> = { c: 'claimed', d: 'done', h: 'held' };

/**
 * Claims and `done` marks of visits: they save work on redelivery and never decide a count. No call
 * ever throws or waits longer than the client's command timeout.
 *
 * Keys: `visit:{<incarnation>:<x>}:<event id>`, x being the id's last hex digit. A batch is at most 16
 * scripts, one per hash tag, sent together: one round trip on one server, and in Redis Cluster each
 * goes whole to the node of its slot. (Measured: see the README of this library.)
 */
export class VisitClaims {
  readonly #availability: RedisAvailability;
  readonly #claim: Script;
  readonly #markDone: Script;
  readonly #release: Script;
  readonly #ownerMark: string;

  constructor(
    redis: RedisClient,
    private readonly options: VisitClaimsOptions,
  ) {
    this.#availability = availabilityOf(redis);
    this.#claim = defineScript(redis, 'claimVisits', import.meta.url, 'lua/claim-visits.lua');
    this.#markDone = defineScript(redis, 'markVisitsDone', import.meta.url, 'lua/mark-visits-done.lua');
    this.#release = defineScript(redis, 'releaseVisits', import.meta.url, 'lua/release-visits.lua');
    // The prefix keeps an owner called "done" from writing a done mark.
    this.#ownerMark = `by ${options.owner}`;
  }

  /** The outcome of each event id, in the order given. Marks of another ledger incarnation do not count. */
  async claim(incarnation: string, eventIds: readonly string[]): Promise<ClaimOutcome[]> {
    const outcomes = new Array<ClaimOutcome>(eventIds.length).fill('unknown');
    const args = [this.#ownerMark, this.options.claimTtlMs];
    await this.#perSlot('claim', incarnation, eventIds, this.#claim, args, (slot, reply) => {
      const letters = String(reply);
      for (const [place, index] of slot.indexes.entries())
        outcomes[index] = OUTCOMES[letters[place] ?? ''] ?? 'unknown';
    });
    this.#count(outcomes);
    return outcomes;
  }

  /** Call after the commit, never before. */
  async markDone(incarnation: string, eventIds: readonly string[]): Promise<void> {
    await this.#perSlot('mark-done', incarnation, eventIds, this.#markDone, [this.options.doneTtlMs]);
  }

  /** Gives up this owner's claims after a failed batch; others' claims and done marks stay. */
  async release(incarnation: string, eventIds: readonly string[]): Promise<void> {
    await this.#perSlot('release-claims', incarnation, eventIds, this.#release, [this.#ownerMark]);
  }

  async #perSlot(
    operation: string,
    incarnation: string,
    eventIds: readonly string[],
    script: Script,
    args: readonly (string | number)[],
    onReply?: (slot: Slot, reply: unknown) => void,
  ): Promise<void> {
    const calls: Promise<void>[] = [];
    for (const slot of groupBySlot(incarnation, eventIds)) {
      const call = this.#availability.ask(operation, () => script(slot.keys, args));
      calls.push(call.then((reply) => (reply === undefined ? undefined : onReply?.(slot, reply))));
    }
    await Promise.all(calls);
  }

  #count(outcomes: readonly ClaimOutcome[]): void {
    const counter = this.#availability.metrics?.claims;
    if (counter === undefined) return;
    const counts: Record<ClaimOutcome, number> = { claimed: 0, done: 0, held: 0, unknown: 0 };
    for (const outcome of outcomes) counts[outcome] += 1;
    for (const [outcome, count] of Object.entries(counts)) if (count > 0) counter.inc({ outcome }, count);
  }
}

interface Slot {
  keys: string[];
  /** Where in the batch each key's visit stands. */
  indexes: number[];
}

function groupBySlot(incarnation: string, eventIds: readonly string[]): Iterable<Slot> {
  const slots = new Map<string, Slot>();
  for (const [index, eventId] of eventIds.entries()) {
    const digit = eventId.slice(-1);
    let slot = slots.get(digit);
    if (slot === undefined) slots.set(digit, (slot = { keys: [], indexes: [] }));
    slot.keys.push(`visit:{${incarnation}:${digit}}:${eventId}`);
    slot.indexes.push(index);
  }
  return slots.values();
}
