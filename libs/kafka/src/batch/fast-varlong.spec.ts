import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { kafkajsInternal } from '../client/kafkajs-internals.js';
import { installFastVarLong } from './fast-varlong.js';

interface Decoder {
  offset: number;
  readVarLong: (this: Decoder) => { toString(): string };
}
type DecoderClass = new (bytes: Buffer) => Decoder;

const decoderClass = kafkajsInternal('protocol/decoder.js') as unknown as DecoderClass;
// kafkajs's own, kept before it is replaced.
const original = (decoderClass.prototype as Decoder).readVarLong;

function encode(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

describe('times of records', () => {
  it('are read as kafkajs reads them, whatever their length', () => {
    expect(installFastVarLong()).toBe(true);
    const anyLong = fc.oneof(
      fc.integer().map(BigInt),
      fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
      fc.integer({ min: -99, max: 99 }).map(BigInt),
    );
    fc.assert(
      fc.property(anyLong, fc.uint8Array({ maxLength: 3 }), (value, before) => {
        const bytes = Buffer.concat([before, encode(value), Buffer.from([7])]);
        const [fast, slow] = [new decoderClass(bytes), new decoderClass(bytes)];
        fast.offset = slow.offset = before.length;
        expect(fast.readVarLong().toString()).toBe(value.toString());
        expect(original.call(slow).toString()).toBe(value.toString());
        expect(fast.offset).toBe(bytes.length - 1);
        expect(slow.offset).toBe(fast.offset);
      }),
    );
  });
});
