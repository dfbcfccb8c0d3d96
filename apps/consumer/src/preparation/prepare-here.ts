import type { PrepareRecords } from './prepared-records.js';
import { readVisits, type VisitSteps } from './read-visits.js';

/** In this thread. */
export function createPrepareHere(steps: VisitSteps): PrepareRecords {
  return async function prepareHere(values) {
    const { indexes, ...read } = await readVisits(values, steps);
    return { ...read, indexes: Uint32Array.from(indexes), release: () => undefined };
  };
}
