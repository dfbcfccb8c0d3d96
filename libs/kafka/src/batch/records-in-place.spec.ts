import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Batch } from 'kafkajs';

import { kafkajsInternal } from '../client/kafkajs-internals.js';
import type { IncomingRecord } from '../records.js';
import { RecordInPlace } from './records-in-place.js';
import { toRecord } from './to-record-batch.js';

type Message = Batch['messages'][number];
type Decoder = { buffer: Buffer<ArrayBuffer>; readVarIntBytes: () => Buffer<ArrayBuffer> };
type Facts = ConstructorParameters<typeof RecordInPlace>[1];

const kafkajs = {
  Decoder: kafkajsInternal('protocol/decoder.js') as unknown as new (bytes: Buffer) => Decoder,
  decode: kafkajsInternal('protocol/recordBatch/record/v0/decoder.js') as unknown as (
    decoder: Decoder,
    facts: Facts,
  ) => Message,
  encode: kafkajsInternal('protocol/recordBatch/record/v0/index.js') as unknown as (record: object) => {
    buffer: Buffer;
  },
};

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const headers = fc.dictionary(
  fc.oneof(fc.string({ maxLength: 5 }), fc.constant('traceparent')),
  fc.oneof(bytes, fc.array(bytes, { minLength: 2, maxLength: 3 })),
  { maxKeys: 3 },
);
const record = fc.record({
  offsetDelta: fc.nat(),
  timestampDelta: fc.oneof(
    fc.integer(),
    fc.maxSafeInteger().map((value) => Math.trunc(value / 8)),
    fc.integer({ min: -99, max: 99 }),
  ),
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.oneof(fc.constant({}), headers),
});
const facts: fc.Arbitrary<Facts> = fc.record({
  firstOffset: fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String),
  firstTimestamp: fc.integer({ min: 0, max: 4e12 }).map(String),
  maxTimestamp: fc.integer({ min: 0, max: 4e12 }).map(String),
  timestampType: fc.constantFrom(-1, 0, 1),
  isControlBatch: fc.boolean(),
});

const FACTS = {
  ...{ firstOffset: '0', firstTimestamp: '0', maxTimestamp: '0', timestampType: 0, isControlBatch: false },
};

/** The record alone, as its batch's decoder hands it on: somewhere in the memory of an answer. */
function bytesOf(one: object, before: Uint8Array): Buffer<ArrayBuffer> {
  const { buffer } = kafkajs.encode(one);
  const decoder = new kafkajs.Decoder(Buffer.concat([before, buffer, Buffer.from('behind')]).subarray(before.length));
  return decoder.readVarIntBytes();
}
const fieldsOf = ({ offset, timestampMs, key, value, headers: all }: IncomingRecord) => ({
  ...{ offset, timestampMs, key, value },
  headers: Object.entries(all),
});

describe('a record that stays in the broker’s answer', () => {
  it('has what kafkajs reads of it', () => {
    fc.assert(
      fc.property(record, facts, fc.uint8Array({ maxLength: 3 }), (one, batch, before) => {
        const its = bytesOf(one, before);
        const message = kafkajs.decode(new kafkajs.Decoder(its), batch);
        const inPlace = new RecordInPlace(its, batch);
        expect(fieldsOf(toRecord(inPlace))).toEqual(fieldsOf(toRecord(message)));
        expect(inPlace.isControlRecord).toBe((message as unknown as RecordInPlace).isControlRecord);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has headers by whatever name, where kafkajs finds those that every object has', () => {
    const one = { key: null, value: null, headers: { constructor: 'a', ['__proto__']: 'b' } };
    const { headers: all } = new RecordInPlace(bytesOf(one, Buffer.alloc(0)), FACTS);
    expect(Object.entries(all)).toEqual([
      ['constructor', Buffer.from('a')],
      ['__proto__', Buffer.from('b')],
    ]);
  });

  it('has no bytes of the next one, whatever its lengths say', () => {
    fc.assert(
      fc.property(record, fc.nat({ max: 400 }), fc.nat({ max: 0xff }), (one, at, byte) => {
        const its = bytesOf(one, Buffer.from('before'));
        its[at % its.length] = byte;
        const end = its.byteOffset + its.length;
        const { key, value, headers: all } = new RecordInPlace(its, FACTS);
        for (const view of [key, value, ...Object.values(all)].flat())
          if (Buffer.isBuffer(view)) expect(view.byteOffset + view.length).toBeLessThanOrEqual(end);
      }),
      { numRuns: 2_000 },
    );
  });
});
