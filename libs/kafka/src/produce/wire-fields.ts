/** Fields of Kafka's protocol: https://kafka.apache.org/protocol#protocol_types */
export function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

export function string16(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([int16(bytes.length), bytes]);
}

/** Reads fields one after the other. Each method throws a RangeError beyond the end. */
export class FieldReader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  int16(): number {
    return this.bytes.readInt16BE(this.#move(2));
  }

  int32(): number {
    return this.bytes.readInt32BE(this.#move(4));
  }

  string16(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.bytes.toString('utf8', this.#move(length), this.#at);
  }

  list<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    for (let left = this.int32(); left > 0; left -= 1) items.push(read());
    return items;
  }

  skip(bytes: number): void {
    this.#move(bytes);
  }

  #move(bytes: number): number {
    const start = this.#at;
    this.#at += bytes;
    if (this.#at > this.bytes.length) throw new RangeError('the answer ends too early');
    return start;
  }
}
