import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const PAGE_BYTES = 4_096;
/** A page comes with the beginning of the next one, so that a short value that stands across its end is found in one place. */
const OVERLAP_BYTES = 16;
const SLOT_BYTES = PAGE_BYTES + OVERLAP_BYTES;
const PAGES_KEPT = 1_024;
const CHECK_MS = 1_000;

/**
 * A file of which at most 4 MB are in memory, in pages that are read when they are asked for. Which page gives way follows from
 * its number alone: what is asked for all the time comes back in 2 µs from the system's own cache.
 */
export class PagedFile {
  readonly size: number;
  /** What `find` answers is a place in here, good until it is asked again. */
  readonly memory = Buffer.alloc(PAGES_KEPT * SLOT_BYTES);
  /** Number of the page in each slot, from 1. */
  readonly #pages = new Uint32Array(PAGES_KEPT);
  readonly #file: number;
  readonly #writtenMs: number;
  #checkedMs = performance.now();

  constructor(
    path: string,
    private readonly checkMs = CHECK_MS,
  ) {
    this.#file = openSync(path, 'r');
    const { size, mtimeMs } = fstatSync(this.#file);
    this.size = size;
    this.#writtenMs = mtimeMs;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Whether somebody wrote over what is open (a file put in its place is another one), asked of the system once a second. */
  isOverwritten(): boolean {
    const now = performance.now();
    if (now - this.#checkedMs < this.checkMs) return false;
    const { size, mtimeMs } = fstatSync(this.#file);
    if (size !== this.size || mtimeMs !== this.#writtenMs) return true;
    this.#checkedMs = now;
    return false;
  }

  /** Where the bytes from `offset` on stand in `memory`: `length` of them, 16 at most. */
  find(offset: number, length: number): number {
    this.#assertInside(offset, length);
    const page = Math.floor(offset / PAGE_BYTES);
    const slot = page % PAGES_KEPT;
    if (this.#pages[slot] !== page + 1) this.#read(page, slot);
    return slot * SLOT_BYTES + (offset - page * PAGE_BYTES);
  }

  /** @returns a copy */
  bytes(offset: number, length: number): Buffer {
    this.#assertInside(offset, length);
    const copy = Buffer.alloc(length);
    for (let done = 0; done < length;) {
      const at = this.find(offset + done, 1);
      done += this.memory.copy(copy, done, at, Math.min(at + length - done, this.#endOfSlot(at)));
    }
    return copy;
  }

  text(offset: number, length: number): string {
    if (length === 0) return '';
    this.#assertInside(offset, length);
    const at = this.find(offset, 1);
    if (at + length > this.#endOfSlot(at)) return this.bytes(offset, length).toString();
    return this.memory.toString('utf8', at, at + length);
  }

  #assertInside(offset: number, length: number): void {
    if (!(offset >= 0 && offset + length <= this.size)) throw new RangeError(`nothing stands at ${offset} of the file`);
  }

  #endOfSlot(at: number): number {
    return (Math.floor(at / SLOT_BYTES) + 1) * SLOT_BYTES;
  }

  #read(page: number, slot: number): void {
    const start = page * PAGE_BYTES;
    const expected = Math.min(SLOT_BYTES, this.size - start);
    this.#pages[slot] = 0;
    const read = readSync(this.#file, this.memory, slot * SLOT_BYTES, expected, start);
    if (read !== expected) throw new RangeError(`the file ends before ${start + expected}`);
    this.#pages[slot] = page + 1;
  }
}
