import { decodeVisitEvent, eventIdTimeMs, isEventId } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';

import { buildVisitEvent, newEventId, visitRecord } from './build-visit-event.js';

describe('buildVisitEvent', () => {
  it('makes visits the consumer accepts', () => {
    const visit = buildVisitEvent({ code: 'mine' });
    const decoded = decodeVisitEvent(Buffer.from(visitRecord(visit).value));
    expect(decoded).toEqual({ outcome: 'ok', visit });
    expect(visit.code).toBe('mine');
  });

  it('keeps id and time in agreement', () => {
    const visit = buildVisitEvent({ occurredAt: 1_700_000_000_123 });
    expect(eventIdTimeMs(visit.eventId)).toBe(1_700_000_000_123);
    const eventId = newEventId(42);
    expect(buildVisitEvent({ eventId }).occurredAt).toBe(42);
  });

  it('never makes the same id twice', () => {
    const ids = Array.from({ length: 1_000 }, () => newEventId(1));
    expect(ids.every(isEventId)).toBe(true);
    expect(new Set(ids).size).toBe(1_000);
  });
});
