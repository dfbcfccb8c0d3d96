import { beyondLedger, type DecodedVisit, decodeVisitEvent, eventIdTimeMs } from '@hopcount/contracts';

export interface DecodeVisitOptions {
  /** The dedupe horizon: see beyondLedger. */
  ledgerDays: number;
  nowMs?: () => number;
}

/** Bytes → a visit whose age the ledger can vouch for. Its time is that inside the event id. */
export function createDecodeVisit(options: DecodeVisitOptions) {
  const nowMs = options.nowMs ?? Date.now;
  return function decodeVisit(value: Buffer | null): DecodedVisit {
    const decoded = decodeVisitEvent(value);
    if (decoded.outcome === 'dead-letter') return decoded;
    const beyond = beyondLedger(eventIdTimeMs(decoded.visit.eventId), nowMs(), options.ledgerDays);
    return beyond === null ? decoded : { outcome: 'dead-letter', ...beyond };
  };
}
