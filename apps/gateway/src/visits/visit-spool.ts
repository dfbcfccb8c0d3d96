import { readFile, rename, rm, stat } from 'node:fs/promises';

import { eventIdTimeMs } from '@hopcount/contracts';
import { AppError, type Logger } from '@hopcount/runtime';

import { SegmentWriter } from './spool/segment-writer.js';
import { SpoolFolder } from './spool/spool-folder.js';
import { countRecords, encodeRecord, scanSegment } from './spool/spool-record.js';
import type { VisitRecord } from './visit-record.js';

export interface VisitSpoolOptions {
  root: string;
  /** Name of this process life; also the name of its folder. */
  owner: string;
  /** Most bytes kept on disk; beyond them a visit is refused. */
  maxBytes: number;
  logger: Logger;
  /** Told of every byte range that is no record. */
  onDamage: (damage: { path: string; from: number; to: number; tail: boolean }) => void;
}

/** Records of one segment, to be published and then confirmed. */
export interface SpooledBatch {
  records: VisitRecord[];
  /** Only after Kafka has acknowledged all of them. The last batch of a segment deletes its file. */
  confirm(): Promise<void>;
}

interface SealedSegment {
  path: string;
  sizeBytes: number;
  events: number;
  oldestMs: number;
}

interface Append {
  chunks: Buffer[];
  sizeBytes: number;
  oldestMs: number;
  done: () => void;
  failed: (error: Error) => void;
}

interface OpenSegment {
  segment: SealedSegment;
  records: VisitRecord[];
  next: number;
  corrupt: boolean;
}

// Small, because a segment is read and checked in one go: 2 MB hold the event loop up for about 10 ms.
const SEGMENT_BYTES = 2 * 1_024 * 1_024;
const RESERVE_BYTES = 256 * 1_024;
const ADOPT_EVERY_MS = 30_000;

/**
 * Visits on disk until Kafka has them. Group commit: appends that come while one fdatasync runs
 * share the next one (630 a second here, so one per request would be the end of it).
 *
 * A segment lives through: active (written to) → sealed (by size, by the drainer that has reached
 * it, or by a write error) → open (being drained) → deleted once all of it is acknowledged.
 * All moves happen inside #exclusively, one at a time.
 */
export class VisitSpool {
  #active: (SealedSegment & { writer: SegmentWriter }) | undefined;
  #sealed: SealedSegment[] = [];
  #open: OpenSegment | undefined;
  #queue: Append[] = [];
  #queuedBytes = 0;
  #sequence = 0;
  #writing = false;
  #closed = false;
  #chain: Promise<unknown> = Promise.resolve();
  #adoptTimer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly options: VisitSpoolOptions,
    private readonly folder: SpoolFolder,
  ) {}

  /** Takes over what dead processes left under the same root, now and every 30 s. */
  static async open(options: VisitSpoolOptions): Promise<VisitSpool> {
    const spool = new VisitSpool(options, await SpoolFolder.open(options.root, options.owner));
    await spool.adopt();
    spool.#adoptTimer = setInterval(() => {
      spool.adopt().catch((error: unknown) => options.logger.warn({ err: error }, 'spool folders cannot be looked at'));
    }, ADOPT_EVERY_MS);
    spool.#adoptTimer.unref();
    return spool;
  }

  /** Visits on disk that Kafka has not acknowledged. */
  get pendingEvents(): number {
    const open = this.#open === undefined ? 0 : this.#open.records.length - this.#open.next;
    return sum(this.#sealed, (segment) => segment.events) + (this.#active?.writer.events ?? 0) + open;
  }

  get sizeBytes(): number {
    const open = this.#open?.segment.sizeBytes ?? 0;
    return sum(this.#sealed, (segment) => segment.sizeBytes) + (this.#active?.writer.sizeBytes ?? 0) + open;
  }

  /** Time of the oldest visit on disk, epoch milliseconds; undefined when there is none. */
  get oldestMs(): number | undefined {
    return (this.#open?.segment ?? this.#sealed[0] ?? this.#active)?.oldestMs;
  }

  /** Anything left to publish (or to report as damaged). */
  get hasWork(): boolean {
    return this.#open !== undefined || this.#sealed.length > 0 || (this.#active?.writer.events ?? 0) > 0;
  }

  get isFull(): boolean {
    return this.sizeBytes + this.#queuedBytes >= this.options.maxBytes;
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
    if (this.sizeBytes + this.#queuedBytes + sizeBytes > maxBytes) {
      const message = `The spool holds ${this.sizeBytes} of at most ${maxBytes} bytes.`;
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
          for (const append of group) append.done();
        } catch (error) {
          const failure = new AppError('spool-write-failed', (error as Error).message, { cause: error });
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
    const active = this.#active ?? (await this.#startSegment(group[0]?.oldestMs ?? Date.now()));
    const chunks = group.flatMap((append) => append.chunks);
    try {
      await active.writer.append(chunks, chunks.length);
    } catch (error) {
      // A file that failed one fsync is not trusted with another record.
      await this.#sealActive();
      throw error;
    }
    if (active.writer.sizeBytes >= SEGMENT_BYTES) await this.#sealActive();
  }

  async #startSegment(oldestMs: number) {
    const path = this.folder.segmentPath((this.#sequence += 1));
    try {
      const writer = await SegmentWriter.create(path);
      await this.folder.sync();
      this.#active = { writer, path, oldestMs, sizeBytes: 0, events: 0 };
      return this.#active;
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async #sealActive(): Promise<void> {
    const active = this.#active;
    if (active === undefined) return;
    const { path, oldestMs, writer } = active;
    const { events, sizeBytes } = writer;
    // In one step, so that no reader of the gauges sees the visits vanish for a moment.
    this.#active = undefined;
    if (events > 0) this.#sealed.push({ path, oldestMs, events, sizeBytes });
    await writer.seal();
    if (events === 0) await rm(path, { force: true }).catch(() => undefined);
  }

  /**
   * The next records of one topic in order, at most so many records and (but for a single record) bytes; the same
   * again until confirmed. Undefined when the spool is empty. One caller at a time.
   */
  async nextBatch(limits: { records: number; bytes: number }): Promise<SpooledBatch | undefined> {
    const open = await this.#openNext();
    if (open === undefined) return undefined;
    let end = open.next;
    const topic = open.records[end]?.topic;
    for (let bytes = 0; end < open.records.length && end - open.next < limits.records; end += 1) {
      bytes += open.records[end]?.value.length ?? 0;
      if (end > open.next && (bytes > limits.bytes || open.records[end]?.topic !== topic)) break;
    }
    return {
      records: open.records.slice(open.next, end),
      confirm: () =>
        this.#exclusively(async () => {
          open.next = end;
          if (end === open.records.length) await this.#finish(open);
        }),
    };
  }

  async #openNext(): Promise<OpenSegment | undefined> {
    while (this.#open === undefined) {
      const opened = await this.#exclusively(async () => {
        if (this.#sealed.length === 0) await this.#sealActive();
        const segment = this.#sealed[0];
        if (segment === undefined) return false;
        await this.#read(segment);
        return true;
      });
      if (!opened) return undefined;
    }
    return this.#open;
  }

  async #read(segment: SealedSegment): Promise<void> {
    try {
      const { records, damaged } = scanSegment(await readFile(segment.path));
      for (const range of damaged) this.options.onDamage({ path: segment.path, ...range });
      const open = { segment, records, next: 0, corrupt: damaged.some(({ tail }) => !tail) };
      this.#sealed.shift();
      this.#open = open;
      if (records.length === 0) await this.#finish(open);
    } catch (error) {
      if (this.#sealed[0] === segment) this.#sealed.shift();
      this.options.logger.error({ err: error, path: segment.path }, 'a spool segment cannot be read; it stays on disk');
      this.options.onDamage({ path: segment.path, from: 0, to: segment.sizeBytes, tail: false });
    }
  }

  /** A segment with damage in its middle is kept beside, for a human; a torn tail was never answered. */
  async #finish(open: OpenSegment): Promise<void> {
    this.#open = undefined;
    const { path } = open.segment;
    if (open.corrupt) await rename(path, `${path}.damaged`);
    else await rm(path, { force: true });
  }

  /** Takes over the segments of dead owners. */
  async adopt(): Promise<void> {
    await this.#exclusively(async () => {
      const adopted: SealedSegment[] = [];
      for (const path of await this.folder.adoptAbandoned()) {
        const { size, mtimeMs } = await stat(path);
        // A file that cannot be read now is listed all the same; draining will say what is wrong with it.
        const { count, first } = countRecords(await readFile(path).catch(() => Buffer.alloc(0)));
        const oldestMs = first === undefined ? mtimeMs : timeOf(first);
        adopted.push({ path, sizeBytes: size, events: count, oldestMs });
      }
      if (adopted.length === 0) return;
      this.#sealed = [...adopted, ...this.#sealed];
      const events = sum(adopted, (segment) => segment.events);
      this.options.logger.info({ segments: adopted.length, events }, 'took over the spool of a process that is gone');
    });
  }

  /** Waits for appends under way; what is left on disk is adopted by the next process. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#adoptTimer);
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

function timeOf(record: VisitRecord): number {
  const timeMs = eventIdTimeMs(record.key);
  return Number.isFinite(timeMs) ? timeMs : Date.now();
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
