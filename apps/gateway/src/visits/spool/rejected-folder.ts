import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError, isAppError } from '@hopcount/runtime';

import type { VisitRecord } from '../visit-record.js';
import { SegmentWriter } from './segment-writer.js';
import { REJECTED, SEGMENT_SUFFIX, syncDirectory } from './spool-folder.js';
import { encodeRecord } from './spool-record.js';

const FILE_BYTES = 2 * 1_024 * 1_024;

export interface RejectedFolderOptions {
  /** The spool's root: one folder for all its processes, `<root>/rejected`. */
  root: string;
  /** Name of this process life: no other writes to files that begin with it. */
  owner: string;
  /** Most bytes kept in the folder, whoever wrote them. */
  maxBytes: number;
}

/**
 * Records that Kafka rejects for good, kept for a human: answered visits are never thrown away. Files
 * are spool segments. Moved into another folder below the root, they are adopted and sent again like
 * those of any process that has ended (the README says when and how); event ids make copies harmless.
 * One caller at a time.
 */
export class RejectedFolder {
  readonly path: string;
  /** Since the start of this process. */
  keptRecords = 0;
  #writer: SegmentWriter | undefined;
  #sequence = 0;

  constructor(private readonly options: RejectedFolderOptions) {
    this.path = join(options.root, REJECTED);
  }

  /**
   * Of all files, those of other processes included; 0 when there is no such folder.
   * @throws the system's error when the folder cannot be read
   */
  async sizeBytes(): Promise<number> {
    const files = await readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const sizes = files.map((file) =>
      stat(join(this.path, file)).then(
        ({ size }) => size,
        () => 0, // moved away meanwhile
      ),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /**
   * Resolves with the file's path once the record is on the disk.
   * @throws AppError `rejected-full`, or the system's error
   */
  async keep(record: VisitRecord): Promise<string> {
    const chunk = encodeRecord(record);
    if ((await this.sizeBytes()) + chunk.length > this.options.maxBytes) {
      throw new AppError('rejected-full', `${this.path} may hold ${this.options.maxBytes} bytes.`);
    }
    const path = await this.#append(chunk).catch((error: unknown) => {
      // Moved away by an operator while we wrote to it: once more, to a new file.
      if (isAppError(error, 'spool-segment-gone')) return this.#append(chunk);
      throw error;
    });
    this.keptRecords += 1;
    return path;
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    // Who cannot tell seals; a file that was moved away is somebody else's.
    const isOurs = (await writer?.isInPlace().catch(() => true)) ?? true;
    await (isOurs ? writer?.seal() : writer?.abandon());
  }

  async #append(chunk: Buffer): Promise<string> {
    try {
      if (this.#writer === undefined) await this.#startFile();
      const writer = this.#writer as unknown as SegmentWriter;
      await writer.append([chunk], 1);
      if (writer.sizeBytes >= FILE_BYTES) await this.close();
      return writer.path;
    } catch (error) {
      await this.close(); // a file that failed one fsync is not trusted with another record
      throw error;
    }
  }

  async #startFile(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    await syncDirectory(this.options.root);
    this.#sequence += 1;
    const name = `${this.options.owner}-${REJECTED}-${String(this.#sequence).padStart(4, '0')}${SEGMENT_SUFFIX}`;
    this.#writer = await SegmentWriter.create(join(this.path, name));
    await syncDirectory(this.path);
  }
}
