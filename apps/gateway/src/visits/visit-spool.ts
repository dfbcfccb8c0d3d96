import { rm } from 'node:fs/promises';

import { AppError, isAppError, type Logger } from '@hopcount/runtime';

import {
  batchOf,
  type BatchLimits,
  describeAdopted,
  type OpenSegment,
  type SealedSegment,
  SegmentQueue,
  type SpooledBatch,
} from './spool/segment-queue.js';
import { SegmentWriter } from './spool/segment-writer.js';
import { SpoolFolder } from './spool/spool-folder.js';
import { encodeRecord, timeOf } from './spool/spool-record.js';
import type { VisitRecord } from './visit-record.js';

export interface VisitSpoolOptions {
  root: string;
  /** Name of this process life; also the name of its folder. */
  owner: string;
  /** Most bytes this process life keeps on disk, what it adopted aside; beyond them a visit is refused. */
  maxBytes: number;
  logger: Logger;
  /** Told of every byte range that is no record. */
  onDamage: (damage: { path: string; from: number; to: number; tail: boolean }) => void;
}

interface Append {
  chunks: Buffer[];
  sizeBytes: number;
  oldestMs: number;
  done: () => void;
  failed: (error: Error) => void;
}

interface ActiveSegment {
  writer: SegmentWriter;
  oldestMs: number;
}

// Small, because a segment is read and checked in one go: 2 MB hold the event loop up for about 10 ms.
const SEGMENT_BYTES = 2 * 1_024 * 1_024;
const RESERVE_BYTES = 256 * 1_024;
const ADOPT_EVERY_MS = 30_000;
const BEAT_EVERY_MS = 10_000;
/** While the disk takes nothing: a process that is not ready gets no visits, whose writing would tell that it does again. */
const PROBE_EVERY_MS = 1_000;
/** Others look for abandoned folders every 30 s: a segment taken away five times in a row is another trouble. */
const MAX_WRITES = 5;

/**
 * Visits on disk until Kafka has them. Group commit: appends that come while one fdatasync runs
 * share the next one (630 a second here, so one per request would be the end of it).
 *
 * A segment lives through: active (written to) → sealed (by size, by the drainer that has reached
 * it, or by a write error) → open (being drained) → deleted once all of it is acknowledged. One that another
 * process took away is forgotten; that process publishes it.
 * All moves happen inside #exclusively, one at a time.
 */
export class VisitSpool {
  #active: ActiveSegment | undefined;
  readonly #segments: SegmentQueue;
  #queue: Append[] = [];
  #queuedBytes = 0;
  #writing = false;
  #closed = false;
  /** Why the last write failed; undefined once one succeeded. */
  #writeFailure: string | undefined;
  /** Dead processes whose visits were taken over and whom nobody has been told of; who tells takes them out. */
  readonly adoptedOwners = new Set<string>();
  #chain: Promise<unknown> = Promise.resolve();
  readonly #timers: NodeJS.Timeout[] = [];

  private constructor(
    private readonly options: VisitSpoolOptions,
    private readonly folder: SpoolFolder,
  ) {
    this.#segments = new SegmentQueue(options);
  }

  /** Takes over what dead processes left under the same root, now and every 30 s. */
  static async open(options: VisitSpoolOptions): Promise<VisitSpool> {
    const spool = new VisitSpool(options, await SpoolFolder.open(options.root, options.owner));
    await spool.adopt();
    spool.#every(ADOPT_EVERY_MS, () => spool.adopt());
    spool.#every(BEAT_EVERY_MS, () => spool.#beat());
    spool.#every(PROBE_EVERY_MS, () => spool.#probe());
    return spool;
  }

  #every(periodMs: number, work: () => Promise<void>): void {
    const attempt = () =>
      work().catch((error: unknown) =>
        this.options.logger.warn({ err: error }, 'spool folders cannot be looked after'),
      );
    this.#timers.push(setInterval(() => void attempt(), periodMs).unref());
  }

  /** Visits on disk that Kafka has not acknowledged. */
  get pendingEvents(): number {
    return this.#segments.events + (this.#active?.writer.events ?? 0);
  }

  /** On disk. What was taken over from processes that are gone is no reason to refuse a visit here. */
  get sizeBytes(): { own: number; adopted: number } {
    const { own, adopted } = this.#segments.sizeBytes;
    return { own: own + (this.#active?.writer.sizeBytes ?? 0), adopted };
  }

  /** Time of the oldest visit on disk, epoch milliseconds; undefined when there is none. */
  get oldestMs(): number | undefined {
    return this.#segments.oldestMs ?? this.#active?.oldestMs;
  }

  /** Anything left to publish (or to report as damaged). */
  get hasWork(): boolean {
    return !this.#segments.isEmpty || (this.#active?.writer.events ?? 0) > 0;
  }

  get isFull(): boolean {
    return this.sizeBytes.own + this.#queuedBytes >= this.options.maxBytes;
  }

  /** Why the disk took nothing the last time; undefined: it did, or nothing was written yet. */
  get writeFailure(): string | undefined {
    return this.#writeFailure;
  }

  /**
   * Resolves once all records are on the disk. Records of other topics may use a little more room than
   * visits: what a full spool costs must still be told.
   * @throws AppError `spool-full`, `spool-write-failed` or `spool-closed`: none of them may be answered.
   */
  append(records: readonly VisitRecord[]): Promise<void> {
    const first = records[0];
    if (first === undefined) return Promise.resolve();
    if (this.#closed) return Promise.reject(new AppError('spool-closed', 'The spool is closed.'));
    const chunks = records.map(encodeRecord);
    const sizeBytes = sum(chunks, (chunk) => chunk.length);
    const maxBytes = this.options.maxBytes + (first.topic === undefined ? 0 : RESERVE_BYTES);
    if (this.sizeBytes.own + this.#queuedBytes + sizeBytes > maxBytes) {
      const message = `The spool holds ${this.sizeBytes.own} of at most ${maxBytes} bytes.`;
      return Promise.reject(new AppError('spool-full', message, { retryable: true }));
    }
    this.#queuedBytes += sizeBytes;
    return new Promise((done, failed) => {
      this.#queue.push({ chunks, sizeBytes, oldestMs: timeOf(first), done, failed });
      if (!this.#writing) void this.#writeQueued();
    });
  }

  async #writeQueued(): Promise<void> {
    this.#writing = true;
    while (this.#queue.length > 0) {
      await this.#exclusively(async () => {
        const group = this.#takeGroup();
        try {
          await this.#writeGroup(group);
          this.#writeFailure = undefined;
          for (const append of group) append.done();
        } catch (error) {
          const { message } = error as Error;
          this.#writeFailure = message;
          const failure = new AppError('spool-write-failed', message, { cause: error });
          for (const append of group) append.failed(failure);
          this.options.logger.error({ err: error }, 'visits cannot be written to the spool');
        } finally {
          this.#queuedBytes -= sum(group, (append) => append.sizeBytes);
        }
      });
    }
    this.#writing = false;
  }

  /** What has gathered since the last write, up to one segment's worth. */
  #takeGroup(): Append[] {
    let count = 0;
    for (let bytes = 0; count < this.#queue.length && bytes < SEGMENT_BYTES; count += 1) {
      bytes += this.#queue[count]?.sizeBytes ?? 0;
    }
    return this.#queue.splice(0, count);
  }

  async #writeGroup(group: Append[]): Promise<void> {
    const chunks = group.flatMap((append) => append.chunks);
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > 1) await this.folder.reclaim();
        const active = this.#active ?? (await this.#startSegment(group[0]?.oldestMs ?? Date.now()));
        await active.writer.append(chunks, chunks.length);
        break;
      } catch (error) {
        // A file that failed one fsync is not trusted with another record.
        await this.#sealActive();
        if (!isTakenAway(error) || attempt === MAX_WRITES) throw error;
        this.options.logger.warn({ err: error }, 'our spool folder was adopted: its visits are written again');
      }
    }
    if ((this.#active?.writer.sizeBytes ?? 0) >= SEGMENT_BYTES) await this.#sealActive();
  }

  async #startSegment(oldestMs: number): Promise<ActiveSegment> {
    const writer = await SegmentWriter.create(this.folder.nextSegmentPath());
    try {
      await this.folder.sync();
    } catch (error) {
      await writer.seal();
      await rm(writer.path, { force: true }).catch(() => undefined); // read as empty
      throw error;
    }
    return (this.#active = { writer, oldestMs });
  }

  async #sealActive(): Promise<void> {
    const active = this.#active;
    if (active === undefined) return;
    const { oldestMs, writer } = active;
    // Who cannot tell keeps it: a segment that is gone is found out when it is read.
    const isOurs = await writer.isInPlace().catch(() => true);
    const { path, events, sizeBytes } = writer;
    // In one step, so that no reader of the gauges sees the visits vanish for a moment.
    this.#active = undefined;
    if (!isOurs) return await writer.abandon();
    if (events > 0) this.#segments.add({ path, oldestMs, events, sizeBytes, adopted: false });
    await writer.seal();
    if (events === 0) await rm(path, { force: true }).catch(() => undefined); // read as empty
  }

  /**
   * The next records of one topic in order, at most so many records and (but for a single record) bytes; the same
   * again until confirmed. Undefined when the spool is empty. One caller at a time.
   * @throws AppError `spool-read-failed`: not this time; there may be others to read
   */
  async nextBatch(limits: BatchLimits): Promise<SpooledBatch | undefined> {
    const open = await this.#openNext();
    if (open === undefined) return undefined;
    const records = batchOf(open, limits);
    const next = open.next + records.length;
    const confirm = () => this.#exclusively(() => this.#segments.advance(open, next));
    const postpone = () => {
      for (const { key } of records) open.postponed.add(key);
      return confirm();
    };
    return { records, confirm, postpone };
  }

  async #openNext(): Promise<OpenSegment | undefined> {
    while (this.#segments.open === undefined) {
      const opened = await this.#exclusively(async () => {
        if (!this.#segments.hasFresh) await this.#sealActive();
        return this.#segments.readNext();
      });
      if (!opened) return undefined;
    }
    return this.#segments.open;
  }

  /**
   * Takes over the segments of dead owners, and any in our own folder that is not in the books: an
   * adoption that failed half-way left it.
   */
  async adopt(): Promise<void> {
    // After a pause our own lock is as old as that of the dead.
    await this.#beat();
    await this.#exclusively(async () => {
      await this.#segments.putAwaySpent();
      this.#segments.resumePostponed();
      const owners = await this.folder.adoptAbandoned((path, error) =>
        this.options.logger.warn({ err: error, path }, 'visits of a dead process cannot be taken over'),
      );
      for (const owner of owners) this.adoptedOwners.add(owner);
      const found: SealedSegment[] = [];
      for (const file of await this.folder.segments()) {
        if (file.path === this.#active?.writer.path || this.#segments.knows(file.path)) continue;
        found.push(await describeAdopted(file));
      }
      if (found.length === 0) return;
      this.#segments.addFirst(found);
      const events = sum(found, (segment) => segment.events);
      this.options.logger.info({ owners, segments: found.length, events }, 'took over the spool of a dead process');
    });
  }

  /** Shows that we live. When the folder was taken from us, what we write to went with it. */
  async #beat(): Promise<void> {
    if (await this.folder.beat()) return;
    await this.#exclusively(async () => {
      await this.#sealActive();
      if (!this.#closed) await this.folder.reclaim();
    });
  }

  async #probe(): Promise<void> {
    if (this.#writeFailure === undefined) return;
    await this.#exclusively(async () => {
      try {
        await this.folder.probe();
        this.#writeFailure = undefined;
        this.options.logger.info('the disk takes visits again');
      } catch (error) {
        this.#writeFailure = (error as Error).message;
      }
    });
  }

  /** Waits for appends under way; what is left on disk is adopted by the next process. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#exclusively(() => this.#sealActive());
    while (this.#writing) await this.#exclusively(() => this.#sealActive());
    await this.folder.release();
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#chain.then(work);
    this.#chain = result.catch(() => undefined);
    return result;
  }
}

function isTakenAway(error: unknown): boolean {
  return isAppError(error, 'spool-segment-gone') || (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
