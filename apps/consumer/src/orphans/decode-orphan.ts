import { beyondLedger, decodeOrphanVisit, eventIdTimeMs, type OrphanVisitV1 } from '@hopcount/contracts';

import type { StepOutcome } from '../steps/step-outcome.js';

/** Bytes → an orphan visit. One that is too old is not refused here: the horizon of its table keeps it out. */
export function createDecodeOrphan(nowMs: () => number = Date.now) {
  return function decodeOrphan(value: Buffer | null): StepOutcome<OrphanVisitV1> {
    const decoded = decodeOrphanVisit(value);
    if (decoded.outcome === 'dead-letter') return decoded;
    const beyond = beyondLedger(eventIdTimeMs(decoded.visit.eventId), nowMs(), Number.POSITIVE_INFINITY);
    if (beyond !== null) return { outcome: 'dead-letter', ...beyond };
    return { outcome: 'ok', value: decoded.visit };
  };
}
