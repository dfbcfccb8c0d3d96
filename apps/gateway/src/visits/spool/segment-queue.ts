import { readFile, rename, rm } from 'node:fs/promises';

import { AppError, type Logger } from '@hopcount/runtime';

import type { VisitRecord } from '../visit-record.js';
import { DAMAGED_SUFFIX, type SegmentFile } from './spool-folder.js';
import { countRecords, scanSegment, timeOf } from './spool-record.js';

export interface SealedSegment {
  path: string;
  sizeBytes: number;
  events: number;
  oldestMs: number;
  /** Written by another process life. */
  adopted: boolean;
  /** Keys of the records that are left of it; unless told, all. */
  left?: ReadonlySet<string>;
}

export interface OpenSegment {
  segment: SealedSegment;
  records: VisitRecord[];
  /** Index of the first record that Kafka has not acknowledged. */
  next: number;
  corrupt: boolean;
  /** Keys of those that could be neither sent nor put aside. */
  postponed: Set<string>;
}

/** Records of one segment, to be published and then confirmed. */
export interface SpooledBatch {
  records: VisitRecord[];
  /** Only after Kafka has acknowledged all of them. The last batch of a segment deletes its file. */
  confirm(): Promise<void>;
  /** Not now: the next batch is what follows, and these come again later, as often as it takes. */
  postpone(): Promise<void>;
}

/** Bytes: those of the values, and a single record may be larger. */
export interface BatchLimits {
  records: number;
  bytes: number;
}

export interface SegmentQueueOptions {
  logger: Logger;
  /** Told of every byte range that is no record. */
  onDamage: (damage: { path: string; from: number; to: number; tail: boolean }) => void;
}

/**
 * The segments that are not written to any more, in the order in which they are drained.
 *
 *   sealed → open (read, being drained) → deleted, or kept as `.damaged`
 *   sealed → unreadable (the last reading failed) → open, once it can be read
 *   open → postponed (all the others of it sent) → sealed, half a minute later
 *
 * A segment that cannot be read stays: its visits are answered. It is tried again when nothing else is
 * left, so that one bad file (or a moment without descriptors) holds up no other visit.
 */
export class SegmentQueue {
  #sealed: SealedSegment[] = [];
  #unreadable: SealedSegment[] = [];
  #postponed: SealedSegment[] = [];
  #open: OpenSegment | undefined;
  /** Published, but the disk would not delete (or rename) them. */
  readonly #spent = new Map<string, OpenSegment>();
  /** Of all of them, the spent ones among them. */
  readonly #paths = new Set<string>();
  readonly #bytes = { own: 0, adopted: 0 };

  constructor(private readonly options: SegmentQueueOptions) {}

  get open(): OpenSegment | undefined {
    return this.#open;
  }

  /** Whether something is left that was not in vain the last time. */
  get hasFresh(): boolean {
    return this.#open !== undefined || this.#sealed.length > 0;
  }

  get isEmpty(): boolean {
    return !this.hasFresh && this.#unreadable.length === 0;
  }

  get events(): number {
    let events = 0;
    for (const segment of this.#all()) {
      const open = segment === this.#open?.segment ? this.#open : undefined;
      events += open === undefined ? segment.events : open.records.length - open.next;
    }
    return events;
  }

  /** Asked for with every visit that is spooled. */
  get sizeBytes(): Readonly<Record<'own' | 'adopted', number>> {
    return this.#bytes;
  }

  get oldestMs(): number | undefined {
    const times = [...this.#all()].map(({ oldestMs }) => oldestMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  *#all(): Generator<SealedSegment> {
    if (this.#open !== undefined) yield this.#open.segment;
    yield* this.#sealed;
    yield* this.#unreadable;
    yield* this.#postponed;
  }

  add(segment: SealedSegment): void {
    this.#enters(segment);
    this.#sealed.push(segment);
  }

  /** Older than what is here. */
  addFirst(segments: SealedSegment[]): void {
    for (const segment of segments) this.#enters(segment);
    this.#sealed = [...segments, ...this.#sealed];
  }

  knows(path: string): boolean {
    return this.#paths.has(path);
  }

  #enters({ path, sizeBytes, adopted }: SealedSegment): void {
    this.#paths.add(path);
    this.#bytes[adopted ? 'adopted' : 'own'] += sizeBytes;
  }

  /** Nothing of it is left to be sent. */
  #leaves({ sizeBytes, adopted }: SealedSegment): void {
    this.#bytes[adopted ? 'adopted' : 'own'] -= sizeBytes;
  }

  /**
   * Reads the next segment; false when there is none.
   * @throws AppError `spool-read-failed`: it stays in the queue, behind the others.
   */
  async readNext(): Promise<boolean> {
    const again = this.#sealed.length === 0;
    const from = again ? this.#unreadable : this.#sealed;
    const segment = from[0];
    if (segment === undefined) return false;
    let bytes: Buffer;
    try {
      bytes = await readFile(segment.path);
    } catch (error) {
      from.shift();
      this.#readFailed(segment, error as NodeJS.ErrnoException, again);
      return true;
    }
    const { records: all, damaged } = scanSegment(bytes);
    const { left, path } = segment;
    const records = left === undefined ? all : all.filter(({ key }) => left.has(key));
    // Read again, it may lack what was there before: told then, and the file is kept.
    const lacks = left !== undefined && records.length < left.size;
    if (left === undefined || lacks) for (const range of damaged) this.options.onDamage({ path, ...range });
    from.shift();
    const corrupt = lacks || damaged.some(({ tail }) => !tail);
    const open = { segment, records, next: 0, corrupt, postponed: new Set<string>() };
    this.#open = open;
    if (records.length === 0) await this.#finish(open);
    return true;
  }

  #readFailed(segment: SealedSegment, error: NodeJS.ErrnoException, again: boolean): void {
    const { path } = segment;
    if (error.code === 'ENOENT') {
      this.#leaves(segment);
      this.#paths.delete(path);
      // Who adopted it read it after taking it, and sends all of it.
      this.options.logger.warn({ path }, 'a spool segment is gone: adopted by another process, or deleted');
      return;
    }
    this.#unreadable.push(segment);
    if (!again) this.options.logger.error({ err: error, path }, 'a spool segment cannot be read; it is tried again');
    throw new AppError('spool-read-failed', error.message, { cause: error, retryable: true });
  }

  /** Its records up to `next` are settled; with the last one the segment is. */
  async advance(open: OpenSegment, next: number): Promise<void> {
    open.next = next;
    if (open.next === open.records.length) await this.#finish(open);
  }

  /** All its records are acknowledged, or some are postponed and it stays as it is. A segment with damage in its middle is kept beside, for a human. */
  async #finish(open: OpenSegment): Promise<void> {
    if (this.#open !== open) return;
    this.#open = undefined;
    if (open.postponed.size > 0) {
      this.#postponed.push({ ...open.segment, events: open.postponed.size, left: open.postponed });
      return;
    }
    const { path } = open.segment;
    this.#leaves(open.segment);
    try {
      await putAway(open);
      this.#paths.delete(path);
    } catch (error) {
      this.#spent.set(path, open);
      this.options.logger.error({ err: error, path }, 'a published spool segment cannot be put away');
    }
  }

  /** What is left of them is tried again; a process that adopts them sends all, and the ledger refuses the copies. */
  resumePostponed(): void {
    this.#sealed.push(...this.#postponed.splice(0));
  }

  /** Once more for the published segments that are still there. */
  async putAwaySpent(): Promise<void> {
    for (const [path, segment] of this.#spent) {
      await putAway(segment).then(
        () => {
          this.#spent.delete(path);
          this.#paths.delete(path);
        },
        () => undefined, // tried again at the next look
      );
    }
  }
}

/** The next records of one topic, at least one. */
export function batchOf({ records, next }: OpenSegment, limits: BatchLimits): VisitRecord[] {
  const topic = records[next]?.topic;
  let end = next;
  for (let bytes = 0; end < records.length && end - next < limits.records; end += 1) {
    bytes += records[end]?.value.length ?? 0;
    if (end > next && (bytes > limits.bytes || records[end]?.topic !== topic)) break;
  }
  return records.slice(next, end);
}

/** A file that cannot be read now is listed all the same; draining will say what is wrong with it. */
export async function describeAdopted(file: SegmentFile): Promise<SealedSegment> {
  const { path, sizeBytes, modifiedMs } = file;
  const { count, first } = countRecords(await readFile(path).catch(() => Buffer.alloc(0)));
  return { path, sizeBytes, events: count, oldestMs: first === undefined ? modifiedMs : timeOf(first), adopted: true };
}

async function putAway({ segment: { path }, corrupt }: OpenSegment): Promise<void> {
  if (!corrupt) return await rm(path, { force: true });
  await rename(path, path + DAMAGED_SUFFIX).catch((error: unknown) => {
    // Adopted meanwhile: its new owner sends it again and keeps it; the ledger refuses the copies.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}
