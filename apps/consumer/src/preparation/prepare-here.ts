import { visitsInHand } from '@hopcount/ledger';

import type { PrepareRecords } from './prepared-records.js';
import { readVisits, type VisitSteps } from './read-visits.js';

/** In this thread. */
export function createPrepareHere(steps: VisitSteps): PrepareRecords {
  return async function prepareHere(values) {
    const { indexes, visits, refused } = await readVisits(values, steps);
    return {
      indexes: Uint32Array.from(indexes),
      eventIds: visits.map(({ eventId }) => eventId),
      refused,
      visits: visitsInHand(visits),
      release: () => undefined,
    };
  };
}
