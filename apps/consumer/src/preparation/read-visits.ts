import { setImmediate as nextTurn } from 'node:timers/promises';

import type { DecodedVisit, VisitEventV1 } from '@hopcount/contracts';
import { type EnrichedVisit, type VisitSource, VisitsToPrepare } from '@hopcount/ledger';

import type { RefusedRecord } from './prepared-records.js';

/** 4 ms or so: whoever waits for an answer of this thread waits no longer. */
const VISITS_A_TURN = 200;

export interface VisitSteps {
  decodeVisit: (value: Buffer | null) => DecodedVisit;
  enrichVisit: (visit: VisitEventV1) => EnrichedVisit;
}

/** In the order of the records. */
export interface ReadVisits {
  indexes: number[];
  eventIds: string[];
  visits: VisitSource;
  refused: RefusedRecord[];
}

/** Each record is a visit, with what is known of it, or refused. */
export async function readVisits(values: readonly (Buffer | null)[], steps: VisitSteps): Promise<ReadVisits> {
  const read: Omit<ReadVisits, 'visits'> = { indexes: [], eventIds: [], refused: [] };
  const visits = new VisitsToPrepare();
  let index = -1;
  for (const value of values) {
    index += 1;
    if (index > 0 && index % VISITS_A_TURN === 0) await nextTurn();
    const decoded = steps.decodeVisit(value);
    if (decoded.outcome === 'dead-letter') {
      read.refused.push({ index, reason: decoded.reason, detail: decoded.detail });
      continue;
    }
    read.indexes.push(index);
    read.eventIds.push(decoded.visit.eventId);
    visits.add(steps.enrichVisit(decoded.visit));
  }
  return { ...read, visits: visits.end() };
}
