import { type FileHandle, open } from 'node:fs/promises';

import { failpoint } from '@hopcount/runtime';

import { SEGMENT_HEADER } from './spool-record.js';

/** One append-only segment file. After any failed write it must be sealed and never written again. */
export class SegmentWriter {
  events = 0;

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private sizeNow: number,
  ) {}

  /** @throws the system's error (disk full, no such folder); no file is left behind then. */
  static async create(path: string): Promise<SegmentWriter> {
    const file = await open(path, 'wx');
    const writer = new SegmentWriter(path, file, 0);
    await writer.append([SEGMENT_HEADER], 0);
    return writer;
  }

  get sizeBytes(): number {
    return this.sizeNow;
  }

  /** Resolves once the bytes are on the disk. */
  async append(chunks: Buffer[], events: number): Promise<void> {
    let position = this.sizeNow;
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, position);
      done += bytesWritten;
      position += bytesWritten;
    }
    if (events > 0) failpoint('gateway.spool-after-append-before-fsync');
    await this.file.datasync();
    if (events > 0) failpoint('gateway.spool-after-fsync');
    this.sizeNow = position;
    this.events += events;
  }

  /** Cuts off what a failed write left, so that records refused to their visitors are not sent later. */
  async seal(): Promise<void> {
    try {
      const { size } = await this.file.stat();
      if (size > this.sizeNow) await this.file.truncate(this.sizeNow);
    } catch {
      // A disk that cannot shorten a file leaves a torn tail; the reader reports it.
    }
    await this.file.close().catch(() => undefined);
  }
}
