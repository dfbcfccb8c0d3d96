import { kafkajsInternal } from '../client/kafkajs-internals.js';

/** A value that takes more bytes is kafkajs's. */
const MOST_BYTES = 4;

interface Decoder {
  buffer: Buffer;
  offset: number;
  readVarLong: (this: Decoder) => unknown;
}

interface LongClass {
  fromInt(value: number): unknown;
}

let isInstalled = false;

/**
 * kafkajs makes some twenty objects of the time of each record: of a consumer's main thread a tenth of all it allocates. From now on
 * short ones are read as numbers. Where kafkajs is another release, nothing is replaced.
 */
export function installFastVarLong(): boolean {
  if (isInstalled) return true;
  const prototype = kafkajsInternal<{ prototype: Decoder }>('protocol/decoder.js')?.prototype;
  const Long = kafkajsInternal<LongClass>('utils/long.js') as LongClass | undefined;
  const original = prototype?.readVarLong;
  if (prototype === undefined || original === undefined || typeof Long?.fromInt !== 'function') return false;
  prototype.readVarLong = function (this: Decoder) {
    let value = 0;
    for (let index = 0; index < MOST_BYTES; index += 1) {
      const byte = this.buffer[this.offset + index] ?? 0x80;
      value |= (byte & 0x7f) << (7 * index);
      if (byte < 0x80) {
        this.offset += index + 1;
        return Long.fromInt((value >>> 1) ^ -(value & 1));
      }
    }
    return original.call(this);
  };
  return (isInstalled = true);
}
