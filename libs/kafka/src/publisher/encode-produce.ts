import { crc32c } from '@hopcount/runtime';

type Bytes = Buffer | string | null | undefined;

export interface ProduceMessage {
  key?: Bytes;
  value: Bytes;
  headers?: Record<string, Bytes | Bytes[]> | undefined;
}

export interface ProduceArguments {
  acks: number;
  timeout: number;
  topicData: { topic: string; partitions: { partition: number; messages: ProduceMessage[] }[] }[];
}

const BATCH_HEADER_BYTES = 61;
/** Record batch fields before its length's end: base offset and the length itself. */
const BATCH_OVERHEAD_BYTES = 12;
const MAGIC = 2;
const VARINT_MAX_BYTES = 5;
const NO_HEAD = Buffer.alloc(0);

/**
 * Body of a Produce request, version 3 to 7 (they are the same): no transaction, no compression, no
 * idempotence, every record stamped now. Formats: https://kafka.apache.org/protocol#The_Messages_Produce
 * and https://kafka.apache.org/documentation/#recordbatch
 * @param head bytes that stand before the body
 */
export function encodeProduceBody(request: ProduceArguments, head: Buffer = NO_HEAD): Buffer {
  const writer = new Writer(head, sizeBound(request));
  writer.int16(-1); // no transactional id
  writer.int16(request.acks);
  writer.int32(request.timeout);
  writer.int32(request.topicData.length);
  for (const { topic, partitions } of request.topicData) {
    writer.string16(topic);
    writer.int32(partitions.length);
    for (const { partition, messages } of partitions) {
      writer.int32(partition);
      writer.recordBatch(messages, Date.now());
    }
  }
  return writer.bytes();
}

/** At least the encoded size. Three bytes for each UTF-16 unit would do, but all of it has to be cleared. */
function sizeBound(request: ProduceArguments): number {
  const bytesOf = (value: Bytes) =>
    VARINT_MAX_BYTES + (typeof value === 'string' ? Buffer.byteLength(value) : (value?.length ?? 0));
  let bound = 64;
  for (const { topic, partitions } of request.topicData) {
    bound += 16 + bytesOf(topic);
    for (const { messages } of partitions) {
      bound += 16 + BATCH_HEADER_BYTES;
      for (const { key, value, headers } of messages) {
        bound += 32 + bytesOf(key) + bytesOf(value);
        for (const name in headers) {
          const given = headers[name];
          for (const one of Array.isArray(given) ? given : [given]) bound += bytesOf(name) + bytesOf(one);
        }
      }
    }
  }
  return bound;
}

/** Of a number of zero or more, zigzag: seven bits a byte, the lowest of all says the sign. */
function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x40; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

/** Writes into one buffer that is large enough from the start. */
class Writer {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(head: Buffer, size: number) {
    this.#buffer = Buffer.alloc(head.length + size);
    this.#at = head.copy(this.#buffer);
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  int16(value: number): void {
    this.#at = this.#buffer.writeInt16BE(value, this.#at);
  }

  int32(value: number): void {
    this.#at = this.#buffer.writeInt32BE(value, this.#at);
  }

  string16(text: string): void {
    this.int16(Buffer.byteLength(text));
    this.#at += this.#buffer.write(text, this.#at);
  }

  recordBatch(messages: readonly ProduceMessage[], nowMs: number): void {
    const sizeAt = this.#at;
    const start = sizeAt + 4;
    const buffer = this.#buffer;
    this.#at = start + BATCH_HEADER_BYTES;
    for (let i = 0; i < messages.length; i += 1) this.#record(messages[i] as ProduceMessage, i);
    buffer.writeInt32BE(this.#at - start, sizeAt);
    buffer.writeBigInt64BE(0n, start); // base offset: the broker's business
    buffer.writeInt32BE(this.#at - start - BATCH_OVERHEAD_BYTES, start + 8);
    buffer.writeInt32BE(0, start + 12); // partition leader epoch: the broker's too
    buffer.writeInt8(MAGIC, start + 16);
    buffer.writeInt16BE(0, start + 21); // attributes: plain, create time
    buffer.writeInt32BE(messages.length - 1, start + 23);
    buffer.writeBigInt64BE(BigInt(nowMs), start + 27);
    buffer.writeBigInt64BE(BigInt(nowMs), start + 35);
    buffer.writeBigInt64BE(-1n, start + 43); // no producer id
    buffer.writeInt16BE(0, start + 51);
    buffer.writeInt32BE(0, start + 53);
    buffer.writeInt32BE(messages.length, start + 57);
    buffer.writeUInt32BE(crc32c(buffer.subarray(start + 21, this.#at)), start + 17);
  }

  #record({ key, value, headers }: ProduceMessage, offsetDelta: number): void {
    // The length comes first and its own size depends on it: leave room for the two bytes of a visit's,
    // write the body behind them, then move it if the length takes more or fewer.
    const lengthAt = this.#at;
    this.#at += 2;
    const bodyAt = this.#at;
    this.#buffer[this.#at++] = 0; // attributes
    this.#buffer[this.#at++] = 0; // timestamp delta
    this.#varint(offsetDelta);
    this.#bytes(key);
    this.#bytes(value);
    this.#headers(headers);
    const end = this.#at;
    const length = end - bodyAt;
    const movedTo = lengthAt + varintBytes(length);
    if (movedTo !== bodyAt) this.#buffer.copyWithin(movedTo, bodyAt, end);
    this.#at = lengthAt;
    this.#varint(length);
    this.#at += length;
  }

  #headers(headers: ProduceMessage['headers']): void {
    let count = 0;
    for (const name in headers) {
      const value = headers[name];
      count += Array.isArray(value) ? value.length : 1;
    }
    this.#varint(count);
    for (const name in headers) {
      const given = headers[name];
      for (const value of Array.isArray(given) ? given : [given]) {
        this.#bytes(name);
        this.#bytes(value);
      }
    }
  }

  #bytes(value: Bytes): void {
    if (value === null || value === undefined) return this.#varint(-1);
    if (typeof value === 'string') {
      // As a rule a byte a unit; where it is not, the text is moved by what its length takes more.
      const textAt = this.#at + varintBytes(value.length);
      const length = this.#buffer.write(value, textAt);
      const movedTo = this.#at + varintBytes(length);
      if (movedTo !== textAt) this.#buffer.copyWithin(movedTo, textAt, textAt + length);
      this.#varint(length);
      this.#at += length;
      return;
    }
    this.#varint(value.length);
    this.#at += value.copy(this.#buffer, this.#at);
  }

  /** Zigzag, seven bits a byte, low bits first. */
  #varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 0x7f) {
      this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#at++] = rest;
  }
}
