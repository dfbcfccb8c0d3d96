import { readFile, rename, rm } from 'node:fs/promises';

import { AppError, type Logger } from '@hopcount/runtime';

import type { VisitRecord } from '../visit-record.js';
import { scanSegment } from './spool-record.js';

export interface SealedSegment {
  path: string;
  sizeBytes: number;
  events: number;
  oldestMs: number;
}

export interface OpenSegment {
  segment: SealedSegment;
  records: VisitRecord[];
  /** Index of the first record that Kafka has not acknowledged. */
  next: number;
  corrupt: boolean;
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
 *
 * A segment that cannot be read stays: its visits are answered. It is tried again when nothing else is
 * left, so that one bad file (or a moment without descriptors) holds up no other visit.
 */
export class SegmentQueue {
  #sealed: SealedSegment[] = [];
  #unreadable: SealedSegment[] = [];
  #open: OpenSegment | undefined;
  /** Published, but the disk would not delete (or rename) them. */
  readonly #spent = new Map<string, OpenSegment>();

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
    const open = this.#open === undefined ? 0 : this.#open.records.length - this.#open.next;
    return open + total(this.#sealed, 'events') + total(this.#unreadable, 'events');
  }

  get sizeBytes(): number {
    const open = this.#open?.segment.sizeBytes ?? 0;
    return open + total(this.#sealed, 'sizeBytes') + total(this.#unreadable, 'sizeBytes');
  }

  get oldestMs(): number | undefined {
    const open = this.#open?.segment ?? this.#sealed[0];
    const times = [...(open === undefined ? [] : [open]), ...this.#unreadable].map(({ oldestMs }) => oldestMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  add(segment: SealedSegment): void {
    this.#sealed.push(segment);
  }

  /** Older than what is here. */
  addFirst(segments: SealedSegment[]): void {
    this.#sealed = [...segments, ...this.#sealed];
  }

  knows(path: string): boolean {
    return (
      this.#spent.has(path) ||
      this.#open?.segment.path === path ||
      this.#sealed.some((segment) => segment.path === path) ||
      this.#unreadable.some((segment) => segment.path === path)
    );
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
    const { records, damaged } = scanSegment(bytes);
    for (const range of damaged) this.options.onDamage({ path: segment.path, ...range });
    from.shift();
    const open = { segment, records, next: 0, corrupt: damaged.some(({ tail }) => !tail) };
    this.#open = open;
    if (records.length === 0) await this.finish(open);
    return true;
  }

  #readFailed(segment: SealedSegment, error: NodeJS.ErrnoException, again: boolean): void {
    const { path } = segment;
    if (error.code === 'ENOENT') {
      // Who adopted it read it after taking it, and sends all of it.
      this.options.logger.warn({ path }, 'a spool segment is gone: adopted by another process, or deleted');
      return;
    }
    this.#unreadable.push(segment);
    if (!again) this.options.logger.error({ err: error, path }, 'a spool segment cannot be read; it is tried again');
    throw new AppError('spool-read-failed', error.message, { cause: error, retryable: true });
  }

  /** All its records are acknowledged. A segment with damage in its middle is kept beside, for a human. */
  async finish(open: OpenSegment): Promise<void> {
    if (this.#open !== open) return;
    this.#open = undefined;
    try {
      await putAway(open);
    } catch (error) {
      const { path } = open.segment;
      this.#spent.set(path, open);
      this.options.logger.error({ err: error, path }, 'a published spool segment cannot be put away');
    }
  }

  /** Once more for the published segments that are still there. */
  async putAwaySpent(): Promise<void> {
    for (const [path, segment] of this.#spent) {
      await putAway(segment).then(
        () => this.#spent.delete(path),
        () => undefined,
      );
    }
  }
}

function total(segments: readonly SealedSegment[], of: 'events' | 'sizeBytes'): number {
  return segments.reduce((sum, segment) => sum + segment[of], 0);
}

async function putAway({ segment: { path }, corrupt }: OpenSegment): Promise<void> {
  if (!corrupt) return await rm(path, { force: true });
  await rename(path, `${path}.damaged`).catch((error: unknown) => {
    // Adopted meanwhile: its new owner sends it again and keeps it; the ledger refuses the copies.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}
