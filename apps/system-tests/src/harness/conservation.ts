import { eventIdTimeMs } from '@hopcount/contracts';
import { assertSameIds } from '@hopcount/testing';

import type { CountedVisit } from './ledger.js';
import type { VisitorLoad } from './visitor-load.js';

/** Of each purged link by its code: visits that occurred before are not to be counted. */
export type Purged = ReadonlyMap<string, number>;

/** What is to be counted of acknowledged visits (event id → code). */
export function withoutPurged(acknowledged: ReadonlyMap<string, string>, purged: Purged): Map<string, string> {
  const isKept = ([id, code]: [string, string]) => eventIdTimeMs(id) >= (purged.get(code) ?? Number.NEGATIVE_INFINITY);
  return new Map([...acknowledged].filter(isKept));
}

/**
 * Acknowledged ⊆ counted ⊆ acknowledged ∪ in doubt, each id once, and each in-doubt request at most
 * once: its nonce says which counted ids are its own.
 */
export function assertConserved(
  load: Pick<VisitorLoad, 'acknowledged' | 'inDoubt' | 'repeatedIds'>,
  counted: CountedVisit[],
): void {
  if (load.repeatedIds.length > 0) throw new Error(`the gateway gave out ids twice: ${load.repeatedIds.join(', ')}`);
  const doubtful = counted.filter((visit) => visit.nonce !== null && load.inDoubt.has(visit.nonce));
  const nonces = new Set(doubtful.map((visit) => visit.nonce));
  if (nonces.size !== doubtful.length) throw new Error('a request in doubt was counted twice');
  assertSameIds(
    load.acknowledged.keys(),
    counted.map((visit) => visit.eventId),
    { inDoubt: doubtful.map((visit) => visit.eventId) },
  );
}
