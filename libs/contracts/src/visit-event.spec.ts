import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { eventIdTimeMs } from './event-id.js';
import { decodeVisitEvent } from './visit-event.js';

const golden = new URL('../golden/', import.meta.url);
const sample = (change: Record<string, unknown> = {}) => {
  const body = JSON.parse(readFileSync(new URL('visit.v1.full.json', golden), 'utf8')) as Record<string, unknown>;
  return Buffer.from(JSON.stringify({ ...body, ...change }));
};

describe('a visit event', () => {
  it.each(readdirSync(golden).filter((file) => file.startsWith('visit.')))(
    'of the golden sample %s decodes, to the same content',
    (file) => {
      const bytes = readFileSync(new URL(file, golden));
      const decoded = decodeVisitEvent(bytes);
      expect(decoded).toEqual({ outcome: 'ok', visit: JSON.parse(bytes.toString('utf8')) as unknown });
      if (decoded.outcome === 'ok') expect(decoded.visit.occurredAt).toBe(eventIdTimeMs(decoded.visit.eventId));
    },
  );

  it('may say what decided where the visitor went', () => {
    expect(decodeVisitEvent(sample({ route: 'split:2' }))).toMatchObject({
      outcome: 'ok',
      visit: { route: 'split:2' },
    });
    expect(decodeVisitEvent(sample({ route: 2 })).outcome).toBe('dead-letter');
  });

  it('may carry fields of a later minor change', () => {
    expect(decodeVisitEvent(sample({ addedLater: true })).outcome).toBe('ok');
  });

  it.each([
    ['empty-value', null],
    ['empty-value', Buffer.alloc(0)],
    ['not-json', Buffer.from('{"version":1')],
    ['not-json', Buffer.from([0xff, 0xfe, 0x00])],
    ['schema-mismatch', Buffer.from('null')],
    ['schema-mismatch', Buffer.from('[]')],
    ['schema-mismatch', Buffer.from('{}')],
    ['unsupported-version', sample({ version: 2 })],
    ['schema-mismatch', sample({ version: '1' })],
    ['schema-mismatch', sample({ eventId: undefined })],
    ['schema-mismatch', sample({ eventId: '019AA5E4-7C00-7001-9F00-A1B2C3D4E5F6' })],
    ['schema-mismatch', sample({ linkId: 12 })],
    ['schema-mismatch', sample({ linkId: '0' })],
    ['schema-mismatch', sample({ userAgent: 'x'.repeat(513) })],
    ['schema-mismatch', sample({ clientIpHash: 'xyz' })],
  ])('that is broken is refused as %s', (reason, value) => {
    expect(decodeVisitEvent(value)).toMatchObject({ outcome: 'dead-letter', reason });
  });
});
