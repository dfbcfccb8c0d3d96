import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';

import { DAY_MS } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { WorkFolder } from '../files/work-folder.js';
import {
  type ArchiveStore,
  MARKER,
  type OpenedFile,
  type OpenHow,
  parseMarker,
  type StoredFile,
} from './archive-store.js';
import { digestOf, digestOfChunks, type FileDigest } from './digest.js';
import type { FileCache } from './file-cache.js';
import { nameOf, type S3Objects, type StoredObject } from './s3-objects.js';
import { DONE, endUploads, upload } from './s3-upload.js';

/** A marker has 37 bytes. */
const MOST_MARKER_BYTES = 1_000;

/**
 * The archive's files as objects of S3; what is read is a copy in the cache. While the server is away copies are
 * handed out, and all else is AppError `archive-store-away`: nothing then counts as lost or damaged.
 */
export class S3Store implements ArchiveStore {
  /** Servers of objects look after their bytes themselves, and each reading is paid for. */
  readonly scrubEveryMs = 7 * DAY_MS;
  readonly keepsBytes: number;
  readonly name: string;
  /** Those under way: who needs the same file waits. */
  readonly #downloads = new Map<string, Promise<unknown>>();

  constructor(
    private readonly objects: S3Objects,
    private readonly cache: FileCache,
    private readonly work: WorkFolder,
  ) {
    this.name = objects.name;
    this.keepsBytes = cache.maxBytes;
  }

  async marker(): Promise<string | undefined> {
    return this.objects.read(MARKER, async ({ bytes, chunks }) => {
      if (bytes > MOST_MARKER_BYTES) return undefined;
      const read: Uint8Array[] = [];
      for await (const chunk of chunks) read.push(chunk);
      return parseMarker(Buffer.concat(read).toString('utf8'));
    });
  }

  async mark(): Promise<string> {
    const id = randomUUID();
    await this.objects.put(MARKER, Buffer.from(`${id}\n`), { onlyNew: false });
    return id;
  }

  /** No copy is kept of it: who reads it back reads what the server has. */
  async put(written: string, path: string): Promise<FileDigest> {
    const digest = await digestOf(written);
    try {
      await upload(this.objects, written, path);
    } catch (error) {
      if (!DONE.includes(nameOf(error))) throw error;
      // The name is taken, or the upload done: by an attempt whose answer was lost, else by something foreign.
      if ((await this.digest(path))?.sha256 !== digest.sha256) {
        throw new AppError('archive-read-back-differs', ARCHIVE_ERRORS['archive-read-back-differs'], {
          cause: error,
          details: { path, store: this.name },
        });
      }
    }
    return digest;
  }

  async digest(path: string): Promise<FileDigest | undefined> {
    return this.objects.read(path, ({ chunks }) => digestOfChunks(chunks));
  }

  /** What is opened is a copy. */
  stamp(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async open(file: StoredFile, { isKnown, mayFetch }: OpenHow): Promise<OpenedFile | undefined> {
    const name = basename(file.path);
    for (;;) {
      const copy = await this.cache.take(name);
      if (copy !== undefined) {
        if (isKnown(copy.stamp)) return copy;
        const isWhole = (await digestOf(copy.path)).sha256 === file.sha256;
        if (isWhole && (await copy.stampNow()) === copy.stamp) return this.cache.accept(copy);
        await copy.close();
        await this.cache.drop(name);
      }
      if (!mayFetch) throw this.objects.away(new Error('it was asked for another file just now'));
      const other = this.#downloads.get(name);
      if (other === undefined) break;
      await other.catch(() => undefined);
    }
    const download = this.#download(file, name);
    this.#downloads.set(name, download);
    try {
      return await download;
    } finally {
      this.#downloads.delete(name);
    }
  }

  async remove(path: string): Promise<void> {
    await this.objects.remove(path);
    await this.cache.drop(basename(path));
  }

  async olderThan(folder: string, beforeMs: number): Promise<string[]> {
    await endUploads(this.objects, folder, beforeMs);
    const found: string[] = [];
    for await (const { path, writtenMs } of this.objects.list(folder)) if (writtenMs < beforeMs) found.push(path);
    return found;
  }

  /** What comes damaged is fetched once more before it is believed. */
  async #download(file: StoredFile, name: string): Promise<OpenedFile | undefined> {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const copy = await this.work.aside(async (aside) => {
        const digest = await this.objects.read(file.path, (object) => this.#write(object, aside));
        return digest?.sha256 === file.sha256 ? this.cache.add(aside, name) : undefined;
      });
      if (copy !== undefined) return copy;
    }
    return undefined;
  }

  async #write({ bytes, chunks }: StoredObject, aside: string): Promise<FileDigest> {
    return this.cache.withRoomFor(bytes, async () => {
      const file = await open(aside, 'wx', 0o600);
      try {
        return await digestOfChunks(chunks, (chunk) => file.writeFile(chunk));
      } finally {
        await file.close();
      }
    });
  }
}
