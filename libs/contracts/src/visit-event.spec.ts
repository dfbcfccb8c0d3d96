import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { eventIdTimeMs } from './event-id.js';
import { isPlainVisit } from './plain-visit.js';
import { TEXT_LIMITS } from './text-limits.js';
import { decodeVisitEvent, visitEventV1Schema } from './visit-event.js';

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

describe('the quick look at a visit', () => {
  const full = JSON.parse(sample().toString()) as Record<string, unknown>;
  const sparse = JSON.parse(readFileSync(new URL('visit.v1.sparse.json', golden), 'utf8')) as Record<string, unknown>;
  const lengths = [...new Set([0, 45, 64, ...Object.values(TEXT_LIMITS)])].flatMap((limit) => [limit, limit + 1]);
  const texts = fc.constantFrom(
    ...lengths.map((length) => 'x'.repeat(length)),
    '1',
    '0',
    '-',
    '0123456789abcdef',
    'GET',
  );
  const anything = fc.oneof(
    texts,
    fc.constantFrom(
      null,
      undefined,
      true,
      false,
      0,
      1,
      2,
      -1,
      1.5,
      2 ** 53,
      1_763_719_183_360,
      [],
      ['userAgent'],
      [1],
      {},
    ),
    fc.constantFrom(full['eventId'], `${String(full['eventId'])}\n`, '12\n', full['signals'], full['utm']),
    fc.jsonValue({ maxDepth: 1 }),
  );
  /** Fields that are there, and some that are not. */
  const paths = [full, { clientHints: full['clientHints'], utm: full['utm'], signals: full['signals'] }].flatMap(
    (fields, depth) =>
      Object.entries(fields).flatMap(([name, value]) =>
        depth === 0 ? [[name]] : [...Object.keys(value ?? {}), 'addedLater'].map((inner) => [name, inner]),
      ),
  );
  const path = fc.constantFrom(...paths, ['host'], ['route'], ['isFlood'], ['addedLater'], ['__proto__']);

  it('takes every golden sample', () => {
    expect([full, sparse].map(isPlainVisit)).toEqual([true, true]);
  });

  it('takes nothing that the schema refuses or changes', () => {
    const changes = fc.array(fc.tuple(path, anything, fc.boolean()), { maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(full, sparse), changes, (base, all) => {
        const body = structuredClone(base);
        // A copy of each value: the same one put in twice would hold itself, or be changed for the runs that follow.
        for (const [[name = '', inner], value, isRemoved] of all)
          change(body, name, inner, isRemoved ? undefined : structuredClone(value));
        const value = Buffer.from(JSON.stringify(body));
        const judged = visitEventV1Schema.safeParse(JSON.parse(value.toString()));
        if (isPlainVisit(JSON.parse(value.toString()))) expect(judged.data).toEqual(JSON.parse(value.toString()));
        const decoded = decodeVisitEvent(value);
        expect(decoded.outcome).toBe(judged.success ? 'ok' : 'dead-letter');
        if (decoded.outcome === 'ok') expect(decoded.visit).toEqual(judged.data);
      }),
      { numRuns: 3_000 },
    );
  });

  function change(body: Record<string, unknown>, name: string, inner: string | undefined, value: unknown): void {
    const at = inner === undefined ? body : body[name];
    if (typeof at !== 'object' || at === null) return;
    Object.defineProperty(at, inner ?? name, { value, enumerable: true, configurable: true, writable: true });
  }
});
