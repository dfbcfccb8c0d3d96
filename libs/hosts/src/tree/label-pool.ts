const CHUNK_BITS = 16;
const CHUNK_SIZE = 1 << CHUNK_BITS;
const IN_CHUNK = CHUNK_SIZE - 1;

/** ASCII labels, each as its length and its bytes. What was put in stays. */
export class LabelPool {
  readonly #chunks: Uint8Array[] = [];
  #end = 0;

  get bytes(): number {
    return this.#chunks.length * CHUNK_SIZE;
  }

  /**
   * @param label at most 255 ASCII characters: names have 63, addresses 39
   * @returns where it is, a whole number below 2³²
   */
  add(label: string): number {
    // In one chunk, so that readers need not look where it goes on.
    if ((this.#end & IN_CHUNK) + label.length + 1 > CHUNK_SIZE) this.#end = this.#chunks.length * CHUNK_SIZE;
    if (this.#end >>> CHUNK_BITS >= this.#chunks.length) this.#chunks.push(new Uint8Array(CHUNK_SIZE));
    const start = this.#end;
    const chunk = this.#chunks[start >>> CHUNK_BITS] as Uint8Array;
    let at = start & IN_CHUNK;
    chunk[at] = label.length;
    for (let index = 0; index < label.length; index += 1) chunk[(at += 1)] = label.charCodeAt(index);
    this.#end += label.length + 1;
    return start;
  }

  get(start: number): string {
    const chunk = this.#chunks[start >>> CHUNK_BITS] as Uint8Array;
    const at = start & IN_CHUNK;
    let label = '';
    for (let index = 1; index <= (chunk[at] as number); index += 1)
      label += String.fromCharCode(chunk[at + index] as number);
    return label;
  }

  /** Its length when the text before `end` ends with it and a dot or nothing is in front; else -1. */
  matchBefore(start: number, text: string, end: number): number {
    const chunk = this.#chunks[start >>> CHUNK_BITS] as Uint8Array;
    const at = start & IN_CHUNK;
    const length = chunk[at] as number;
    const from = end - length;
    if (from < 0 || (from > 0 && text.charCodeAt(from - 1) !== DOT)) return -1;
    for (let index = 0; index < length; index += 1) {
      if (chunk[at + 1 + index] !== text.charCodeAt(from + index)) return -1;
    }
    return length;
  }
}

const DOT = 46;
