import { createRequire } from 'node:module';

import type { IncomingRecord } from '../records.js';

/** What kafkajs tells the decoder of a record about its batch. */
interface BatchFacts {
  firstOffset: string;
  firstTimestamp: string;
  maxTimestamp: string;
  timestampType: number;
  isControlBatch: boolean;
}

type Headers = IncomingRecord['headers'];

const RECORD_DECODER = 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
/** All records of the batch have the time at which the broker took it. */
const LOG_APPEND_TIME = 1;
const NO_HEADERS: Headers = Object.freeze({});

/**
 * A record (https://kafka.apache.org/documentation/#record) that stays in the broker's answer. kafkajs makes some twenty objects of
 * each, and half of them live until their batch is committed, so that the garbage collector copies them. This one makes views of
 * its bytes when it is asked for them. It is kafkajs's message, too, of which kafkajs reads `offset` (which may be a bigint), `key`,
 * `isControlRecord` and `batchContext`.
 */
export class RecordInPlace implements IncomingRecord {
  readonly offset: bigint;
  readonly timestampMs: number;
  readonly #memory: ArrayBuffer;
  /** In the memory, as the places below. */
  readonly #end: number;
  readonly #keyAt: number;
  readonly #keyLength: number;
  readonly #valueAt: number;
  readonly #valueLength: number;
  readonly #headerCount: number;

  constructor(
    bytes: Buffer<ArrayBuffer>,
    readonly batchContext: BatchFacts,
  ) {
    const { buffer, byteOffset, length } = bytes;
    this.#memory = buffer;
    this.#end = byteOffset + length;
    at = 1; // behind attributes, of which none is in use
    const timestampDelta = readVarInt(bytes);
    const { timestampType, maxTimestamp, firstTimestamp } = batchContext;
    const isBrokers = timestampType === LOG_APPEND_TIME;
    this.timestampMs = isBrokers ? Number(maxTimestamp) : Number(firstTimestamp) + timestampDelta;
    this.offset = firstOffsetOf(batchContext) + BigInt(readVarInt(bytes));
    this.#keyLength = readVarInt(bytes);
    this.#keyAt = byteOffset + at;
    at += Math.max(this.#keyLength, 0);
    this.#valueLength = readVarInt(bytes);
    this.#valueAt = byteOffset + at;
    at += Math.max(this.#valueLength, 0);
    this.#headerCount = readVarInt(bytes);
  }

  get key(): Buffer | null {
    return this.#view(this.#keyAt, this.#keyLength);
  }

  get value(): Buffer | null {
    return this.#view(this.#valueAt, this.#valueLength);
  }

  /** A name that is there several times has a list of values. */
  get headers(): Headers {
    if (this.#headerCount <= 0) return NO_HEADERS;
    const bytes = new Uint8Array(this.#memory, 0, this.#end);
    at = this.#valueAt + Math.max(this.#valueLength, 0);
    readVarInt(bytes); // how many there are
    const headers = Object.create(null) as Record<string, unknown>;
    for (let index = 0; index < this.#headerCount && at < this.#end; index += 1) {
      const name = String(this.#nextField(bytes));
      const value = this.#nextField(bytes);
      headers[name] = name in headers ? [headers[name], value].flat() : value;
    }
    return headers as Headers;
  }

  get isControlRecord(): boolean {
    return this.batchContext.isControlBatch;
  }

  #nextField(bytes: Uint8Array): Buffer | null {
    const length = readVarInt(bytes);
    const from = at;
    at += Math.max(length, 0);
    return this.#view(from, length);
  }

  /** Never beyond the record, whatever length it says. */
  #view(from: number, length: number): Buffer | null {
    if (length < 0) return null;
    const start = Math.min(from, this.#end);
    return Buffer.from(this.#memory, start, Math.min(length, this.#end - start));
  }
}

/**
 * From now on kafkajs decodes records this way. Where it is another release, or has decoded some already in this process, its own
 * messages go on.
 */
export function readRecordsInPlace(): void {
  const require = createRequire(import.meta.url);
  try {
    require(RECORD_DECODER);
    const decode = ({ buffer }: { buffer: Buffer<ArrayBuffer> }, batch: BatchFacts) => new RecordInPlace(buffer, batch);
    require.cache[require.resolve(RECORD_DECODER)]!.exports = decode;
  } catch {
    // Another release: see above.
  }
}

/** Where the next field begins. A pair of value and place for each field would be garbage. */
let at = 0;

/** Zigzag, exact up to 53 bits. */
function readVarInt(bytes: Uint8Array): number {
  let value = 0;
  for (let unit = 1; ; unit *= 0x80) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

let lastBatch: BatchFacts | undefined;
let lastFirstOffset = 0n;

/** Records of one batch are read one after the other. */
function firstOffsetOf(batch: BatchFacts): bigint {
  if (batch !== lastBatch) {
    lastBatch = batch;
    lastFirstOffset = BigInt(batch.firstOffset);
  }
  return lastFirstOffset;
}
