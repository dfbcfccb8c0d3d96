import { buildVisitEvent, newEventId } from '@hopcount/testing';
import { describe, expect, it } from '@jest/globals';

import { createDecodeVisit } from './decode-visit.js';

const DAY_MS = 86_400_000;
const now = Date.UTC(2026, 5, 15);
const decodeVisit = createDecodeVisit({ ledgerDays: 400, nowMs: () => now });
const at = (timeMs: number) => Buffer.from(JSON.stringify(buildVisitEvent({ eventId: newEventId(timeMs) })));

describe('decodeVisit', () => {
  it('takes what lies between the dedupe horizon and two days ahead, borders included', () => {
    for (const timeMs of [now, now - 400 * DAY_MS, now + 2 * DAY_MS]) {
      expect(decodeVisit(at(timeMs)).outcome).toBe('ok');
    }
  });

  it('refuses what is beyond either', () => {
    expect(decodeVisit(at(now - 400 * DAY_MS - 1))).toMatchObject({ reason: 'older-than-ledger' });
    expect(decodeVisit(at(now + 2 * DAY_MS + 1))).toMatchObject({ reason: 'from-the-future' });
  });

  it('goes by the time inside the event id, which is what the ledger is keyed by', () => {
    const contradicting = buildVisitEvent({ eventId: newEventId(now), occurredAt: 0 });
    expect(decodeVisit(Buffer.from(JSON.stringify(contradicting))).outcome).toBe('ok');
  });

  it('passes on what contracts refuses', () => {
    expect(decodeVisit(null)).toMatchObject({ outcome: 'dead-letter', reason: 'empty-value' });
    expect(decodeVisit(Buffer.from('{'))).toMatchObject({ outcome: 'dead-letter', reason: 'not-json' });
  });
});
