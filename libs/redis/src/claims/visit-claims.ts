import { Cluster } from 'ioredis';

import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import { SLOTS, slotOf } from '../client/nodes.js';
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
/** One for each value of an event id's last two hex digits, so each of 32 masters has eight. */
const TAGS = evenTags(256);

/**
 * Claims and `done` marks of visits: they save work on redelivery and never decide a count. No call
 * ever throws or waits longer than the client's command timeout.
 *
 * Keys: `v{<tag>}<incarnation><event id without its last two digits>`, the tag being that of these digits: at most 76
 * characters, which Redis keeps in 80 bytes. A batch is sent together: on one server in at most 16 scripts; in Redis
 * Cluster in one script for each tag, since all keys of a script must be of one slot. (Measured: see the README of this
 * library.)
 */
export class VisitClaims {
  readonly #availability: RedisAvailability;
  readonly #claim: Script;
  readonly #markDone: Script;
  readonly #digitsOfScript: 1 | 2;

  constructor(redis: RedisClient) {
    this.#digitsOfScript = redis instanceof Cluster ? 2 : 1;
    this.#availability = availabilityOf(redis);
    this.#claim = defineScript(redis, 'claimVisits', import.meta.url, 'lua/claim-visits.lua');
    this.#markDone = defineScript(redis, 'markVisitsDone', import.meta.url, 'lua/mark-visits-done.lua');
  }

  /** The outcome of each event id, in the order given. Marks of another ledger incarnation do not count. */
  async claim(incarnation: string, eventIds: readonly string[]): Promise<ClaimOutcome[]> {
    const outcomes = new Array<ClaimOutcome>(eventIds.length).fill('unknown');
    await this.#perScript('claim', this.#claim, incarnation, eventIds, ({ indexes }, reply) => {
      const letters = String(reply);
      indexes.forEach((index, place) => (outcomes[index] = OUTCOMES[letters[place] ?? ''] ?? 'unknown'));
    });
    this.#count(outcomes);
    return outcomes;
  }

  /** Call after the commit, never before. */
  async markDone(incarnation: string, eventIds: readonly string[]): Promise<void> {
    await this.#perScript('mark-done', this.#markDone, incarnation, eventIds);
  }

  async #perScript(
    operation: string,
    script: Script,
    incarnation: string,
    eventIds: readonly string[],
    onReply?: (batch: ScriptBatch, reply: unknown) => void,
  ): Promise<void> {
    const calls: Promise<void>[] = [];
    for (const batch of splitIntoScripts(incarnation, eventIds, this.#digitsOfScript)) {
      const call = this.#availability.ask(operation, () => script(batch.keys, [CLAIM_TTL_MS]), batch.keys[0]);
      calls.push(call.then((reply) => (reply === undefined ? undefined : onReply?.(batch, reply))));
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

interface ScriptBatch {
  keys: string[];
  /** Where in the whole batch each key's visit stands. */
  indexes: number[];
}

function splitIntoScripts(incarnation: string, eventIds: readonly string[], digits: 1 | 2): Iterable<ScriptBatch> {
  const batches = new Map<string, ScriptBatch>();
  eventIds.forEach((eventId, index) => {
    const script = eventId.slice(-digits);
    let batch = batches.get(script);
    if (batch === undefined) batches.set(script, (batch = { keys: [], indexes: [] }));
    const tag = TAGS[Number.parseInt(eventId.slice(-2), 16)];
    batch.keys.push(`v{${tag}}${incarnation}${eventId.slice(0, -2)}`);
    batch.indexes.push(index);
  });
  return batches.values();
}

/**
 * Hash tags of which the nth lies in the nth of `count` equal ranges of slots, so a master has as large a share of the tags
 * as it has of the slots. Tags taken as they come do not: of 256 one of 16 masters has about 1.4 times the mean.
 */
function evenTags(count: number): string[] {
  const tags = new Map<number, string>();
  for (let n = 0; tags.size < count; n += 1) {
    const tag = n.toString(36);
    const range = Math.floor((slotOf(tag) * count) / SLOTS);
    if (!tags.has(range)) tags.set(range, tag);
  }
  return Array.from({ length: count }, (_, range) => tags.get(range) as string);
}
