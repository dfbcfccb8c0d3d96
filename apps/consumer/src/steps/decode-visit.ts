import { beyondLedger, decodeVisitEvent, eventIdTimeMs, type VisitEventV1 } from '@hopcount/contracts';

import type { StepOutcome } from './step-outcome.js';

export interface DecodeVisitOptions {
  /** The dedupe horizon: see beyondLedger. */
  ledgerRetentionDays: number;
  nowMs?: () => number;
}

/** Bytes → a visit whose age the ledger can vouch for. Its time is that inside the event id. */
export function createDecodeVisit(options: DecodeVisitOptions) {
  const nowMs = options.nowMs ?? Date.now;
  return function decodeVisit(value: Buffer | null): StepOutcome<VisitEventV1> {
    const decoded = decodeVisitEvent(value);
    if (decoded.outcome === 'dead-letter') return decoded;
    const beyond = beyondLedger(eventIdTimeMs(decoded.visit.eventId), nowMs(), options.ledgerRetentionDays);
    if (beyond !== null) return { outcome: 'dead-letter', ...beyond };
    return { outcome: 'ok', value: decoded.visit };
  };
}
