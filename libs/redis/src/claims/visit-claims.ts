import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import type { RedisAvailability } from '../client/redis-availability.js';
import { defineScript, type Script } from '../load-lua.js';

/**
 * - `claimed`: not known to be committed; the ledger decides, whoever claimed it before
 * - `done`: committed before; the work may be skipped
 * - `unknown`: Redis is away; the ledger decides
 */
export type ClaimOutcome = 'claimed' | 'done' | 'unknown';

/**
 * Life of a claim, and of the mark that replaces it. It covers the copies that a gateway, or a batch that
 * failed, sends soon after; later ones go to the ledger. At 10,000 visits/s these are 1.2 million marks.
 */
export const CLAIM_TTL_MS = 120_000;

const OUTCOMES: Record<string, ClaimOutcome> = { c: 'claimed', d: 'done' };

/**
 * Claims and `done` marks of visits: they save work on redelivery and never decide a count. No call
 * ever throws or waits longer than the client's command timeout.
 *
 * Keys: `v{<incarnation><x>}<event id without x>`, x being the id's last hex digit: 75 characters, which
 * Redis keeps in 80 bytes. A batch is at most 16 scripts, one per hash tag, sent together: one round trip
 * on one server, and in Redis Cluster each goes whole to the node of its slot. (Measured: see the README
 * of this library.)
 */
export class VisitClaims {
  readonly #availability: RedisAvailability;
  readonly #claim: Script;
  readonly #markDone: Script;

  constructor(redis: RedisClient) {
    this.#availability = availabilityOf(redis);
    this.#claim = defineScript(redis, 'claimVisits', import.meta.url, 'lua/claim-visits.lua');
    this.#markDone = defineScript(redis, 'markVisitsDone', import.meta.url, 'lua/mark-visits-done.lua');
  }

  /** The outcome of each event id, in the order given. Marks of another ledger incarnation do not count. */
  async claim(incarnation: string, eventIds: readonly string[]): Promise<ClaimOutcome[]> {
    const outcomes = new Array<ClaimOutcome>(eventIds.length).fill('unknown');
    await this.#perSlot('claim', this.#claim, incarnation, eventIds, (slot, reply) => {
      const letters = String(reply);
      slot.indexes.forEach((index, place) => (outcomes[index] = OUTCOMES[letters[place] ?? ''] ?? 'unknown'));
    });
    this.#count(outcomes);
    return outcomes;
  }

  /** Call after the commit, never before. */
  async markDone(incarnation: string, eventIds: readonly string[]): Promise<void> {
    await this.#perSlot('mark-done', this.#markDone, incarnation, eventIds);
  }

  async #perSlot(
    operation: string,
    script: Script,
    incarnation: string,
    eventIds: readonly string[],
    onReply?: (slot: Slot, reply: unknown) => void,
  ): Promise<void> {
    const calls: Promise<void>[] = [];
    for (const slot of groupBySlot(incarnation, eventIds)) {
      const call = this.#availability.ask(operation, () => script(slot.keys, [CLAIM_TTL_MS]), slot.keys[0]);
      calls.push(call.then((reply) => (reply === undefined ? undefined : onReply?.(slot, reply))));
    }
    await Promise.all(calls);
  }

  #count(outcomes: readonly ClaimOutcome[]): void {
    const counter = this.#availability.metrics?.claims;
    if (counter === undefined) return;
    const counts: Record<ClaimOutcome, number> = { claimed: 0, done: 0, unknown: 0 };
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
  eventIds.forEach((eventId, index) => {
    const digit = eventId.slice(-1);
    let slot = slots.get(digit);
    if (slot === undefined) slots.set(digit, (slot = { keys: [], indexes: [] }));
    slot.keys.push(`v{${incarnation}${digit}}${eventId.slice(0, -1)}`);
    slot.indexes.push(index);
  });
  return slots.values();
}
