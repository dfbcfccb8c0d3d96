import { inUnclearedMemory } from '@hopcount/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { VisitRecord } from '../visit-record.js';
import { countRecords, encodeRecord, scanSegment, SEGMENT_HEADER } from './spool-record.js';

const record = fc.record({
  key: fc.string(),
  value: fc.string({ unit: 'grapheme', maxLength: 60 }),
  headers: fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 3, noNullPrototype: true }),
});
const records = fc.array(record, { minLength: 1, maxLength: 12 });
const segment = (all: VisitRecord[]) => Buffer.concat([SEGMENT_HEADER, ...all.map(encodeRecord)]);

describe('spool segments', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(records, (all) => {
        const bytes = segment(all);
        expect(scanSegment(bytes)).toEqual({ records: all, damaged: [] });
        expect(countRecords(bytes)).toEqual({ count: all.length, first: all[0] });
      }),
    );
  });

  it('hold nothing that was in memory before', () =>
    fc.assert(
      fc.asyncProperty(records, async (all) => {
        const [one, other] = [
          await inUnclearedMemory(0, () => segment(all)),
          await inUnclearedMemory(0xab, () => segment(all)),
        ];
        expect(other.equals(one)).toBe(true);
      }),
    ));

  it('cut anywhere give every whole record, and report the rest to the byte', () => {
    fc.assert(
      fc.property(records, fc.nat(), (all, cut) => {
        const bytes = segment(all);
        const kept = bytes.subarray(0, cut % (bytes.length + 1));
        const { records: found, damaged } = scanSegment(kept);
        const whole = all.filter((_, i) => segment(all.slice(0, i + 1)).length <= kept.length);
        expect(found).toEqual(whole);
        const readable = kept.length < SEGMENT_HEADER.length ? 0 : segment(whole).length;
        const torn = readable < kept.length ? [{ from: readable, to: kept.length, tail: true }] : [];
        expect(damaged).toEqual(torn);
      }),
    );
  });

  it('damaged anywhere lose at most the records the damage touches, and account for every byte', () => {
    fc.assert(
      fc.property(records, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }), (all, at, noise) => {
        const bytes = segment(all);
        const from = at % bytes.length;
        Buffer.from(noise).copy(bytes, from);
        const to = Math.min(bytes.length, from + noise.length);
        let offset = SEGMENT_HEADER.length;
        const untouched = all.filter((one) => {
          const start = offset;
          offset += encodeRecord(one).length;
          return offset <= from || start >= to;
        });
        const { records: found, damaged } = scanSegment(bytes);
        for (const one of untouched) expect(found).toContainEqual(one);
        const foundBytes = found.reduce((sum, one) => sum + encodeRecord(one).length, 0);
        const lostBytes = damaged.reduce((sum, range) => sum + range.to - range.from, 0);
        const header = bytes.subarray(0, SEGMENT_HEADER.length).equals(SEGMENT_HEADER) ? SEGMENT_HEADER.length : 0;
        expect(header + foundBytes + lostBytes).toBe(bytes.length);
      }),
    );
  });

  it('of zeros, noise or nothing hold no record', () => {
    expect(scanSegment(Buffer.alloc(0))).toEqual({ records: [], damaged: [] });
    const zeros = Buffer.concat([segment([]), Buffer.alloc(64)]);
    expect(scanSegment(zeros)).toEqual({ records: [], damaged: [{ from: 8, to: 72, tail: true }] });
    fc.assert(fc.property(fc.uint8Array(), (noise) => void scanSegment(Buffer.from(noise))));
  });

  it('tell damage in the middle from a torn tail', () => {
    const all = ['a', 'b', 'c'].map((key) => ({ key, value: 'v', headers: {} }));
    const bytes = segment(all);
    const second = segment(all.slice(0, 1)).length;
    bytes.writeUInt32LE(0xffffffff, second + 4); // the length itself
    const { records: found, damaged } = scanSegment(bytes);
    expect(found.map(({ key }) => key)).toEqual(['a', 'c']);
    expect(damaged).toEqual([{ from: second, to: segment(all.slice(0, 2)).length, tail: false }]);
  });
});
