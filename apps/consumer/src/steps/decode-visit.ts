import { decodeVisitEvent, eventIdTimeMs, type VisitEventV1 } from '@hopcount/contracts';

import type { StepOutcome } from './step-outcome.js';

const DAY_MS = 24 * 3_600_000;
/** Further ahead than any clock that is merely wrong; such ids would sit in partitions nobody made yet. */
const FUTURE_LIMIT_MS = 2 * DAY_MS;

export interface DecodeVisitOptions {
  /**
   * The dedupe horizon: the ledger is dropped beyond it, so that nothing could tell a late duplicate
   * of an older event from a new visit.
   */
  ledgerRetentionDays: number;
  nowMs?: () => number;
}

/** Bytes → a visit whose age the ledger can vouch for. Its time is that inside the event id. */
export function createDecodeVisit(options: DecodeVisitOptions) {
  const nowMs = options.nowMs ?? Date.now;
  const horizonMs = options.ledgerRetentionDays * DAY_MS;
  return function decodeVisit(value: Buffer | null): StepOutcome<VisitEventV1> {
    const decoded = decodeVisitEvent(value);
    if (decoded.outcome === 'dead-letter') return decoded;
    const ageMs = nowMs() - eventIdTimeMs(decoded.visit.eventId);
    if (ageMs > horizonMs) {
      const detail = `${Math.floor(ageMs / DAY_MS)} days old; the ledger keeps ${options.ledgerRetentionDays}`;
      return { outcome: 'dead-letter', reason: 'older-than-ledger', detail };
    }
    if (ageMs < -FUTURE_LIMIT_MS) {
      return { outcome: 'dead-letter', reason: 'from-the-future', detail: `${-Math.round(ageMs / 3_600_000)} h ahead` };
    }
    return { outcome: 'ok', value: decoded.visit };
  };
}
