import { type FileHandle, open, rm, stat } from 'node:fs/promises';

import { AppError, failpoint } from '@hopcount/runtime';

import { SEGMENT_HEADER } from './spool-record.js';

/**
 * One append-only segment file. After any failed write it must be sealed and never written again.
 *
 * Its owner may be alive and yet be taken for dead (paused, its clock set, another machine), and then
 * another process renames the file away, reads it, publishes it and deletes it, while writes through
 * the descriptor here still succeed. So a group counts as written only if, after its fdatasync, the
 * name still leads to the file that is open. That is enough, although it is no lock:
 *
 *   here     write → fdatasync → name looked up: still ours → answered
 *   adopter                                                     rename → read → publish → delete
 *
 * An adopter reads a segment only under a name in its own folder, so only after its rename; a name
 * that still led here after the fdatasync had not been renamed away by then, and never had been, for
 * no file gets a name twice (`nextSegmentPath`). Every later rename, and so every read, finds the group on the disk.
 * If the rename came before the look-up, the group is written again elsewhere; the adopter may have
 * read it too, and the ledger refuses the copy.
 */
export class SegmentWriter {
  events = 0;

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private readonly identity: { dev: bigint; ino: bigint },
    private sizeNow: number,
  ) {}

  /** @throws the system's error (disk full, no such folder); no file is left behind then. */
  static async create(path: string): Promise<SegmentWriter> {
    const file = await open(path, 'wx');
    try {
      const writer = new SegmentWriter(path, file, await file.stat({ bigint: true }), 0);
      await writer.append([SEGMENT_HEADER], 0);
      return writer;
    } catch (error) {
      // The first error is the one that matters.
      await file.close().catch(() => undefined);
      await rm(path, { force: true }).catch(() => undefined); // an empty segment is harmless
      throw error;
    }
  }

  get sizeBytes(): number {
    return this.sizeNow;
  }

  /**
   * Resolves once the bytes are on the disk, in the file of this name.
   * @throws AppError `spool-segment-gone`: somebody adopted or deleted the file; or the system's error
   */
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
    if (events > 0 && !(await this.isInPlace())) throw gone(this.path);
    if (events > 0) failpoint('gateway.spool-after-fsync');
    this.sizeNow = position;
    this.events += events;
  }

  /** Whether the name still leads to this file. */
  async isInPlace(): Promise<boolean> {
    try {
      const { dev, ino } = await stat(this.path, { bigint: true });
      return dev === this.identity.dev && ino === this.identity.ino;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Lets go of a file that is not ours any more, as it is: another process may be reading it. */
  async abandon(): Promise<void> {
    await this.file.close().catch(() => undefined); // nothing more is written to it
  }

  /** Cuts off what a failed write left, so that records refused to their visitors are not sent later. */
  async seal(): Promise<void> {
    try {
      const { size } = await this.file.stat();
      if (size > this.sizeNow) await this.file.truncate(this.sizeNow);
    } catch {
      // A disk that cannot shorten a file leaves a torn tail; the reader reports it.
    }
    await this.file.close().catch(() => undefined); // nothing more is written to it
  }
}

function gone(path: string): AppError {
  return new AppError('spool-segment-gone', `${path} was adopted by another process, or deleted.`, {
    retryable: true,
  });
}
