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
  SEALED,
  type StoredFile,
} from './archive-store.js';
import { digestIfReadable, digestOf, digestOfChunks, type FileDigest } from './digest.js';
import type { FileCache } from './file-cache.js';
import { nameOf, type S3Objects, type StoredObject } from './s3-objects.js';
import { DONE, endUploads, upload } from './s3-upload.js';

/** What comes damaged is fetched once more before it is believed. */
const FETCHES = 2;
/** A marker has 37 bytes. */
const MOST_MARKER_BYTES = 1_000;

type Copy = Omit<OpenedFile, 'stamp'>;

/**
 * The archive's files as objects of S3; what is read is a copy in the cache. While the server is away copies are
 * handed out, and all else is AppError `archive-store-away`: nothing then counts as lost or damaged.
 */
export class S3Store implements ArchiveStore {
  /** Servers of objects look after their bytes themselves, and each reading is paid for. */
  readonly scrubEveryMs = 7 * DAY_MS;
  readonly keepsBytes: number;
  readonly name: string;
  /** Those under way. */
  readonly #downloads = new Map<string, Promise<boolean>>();

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

  async open(file: StoredFile, how: OpenHow): Promise<OpenedFile | undefined> {
    const copy = await this.cache.use(basename(file.path));
    let stamp: string | undefined;
    try {
      stamp = await this.#fetchUnlessWhole(copy, file, how);
      return stamp === undefined ? undefined : { ...copy, stamp };
    } finally {
      if (stamp === undefined) await copy.close();
    }
  }

  async remove(path: string): Promise<void> {
    await this.objects.remove(path);
    await this.cache.drop(basename(path));
  }

  async hasFile(is: (path: string) => boolean): Promise<boolean> {
    for await (const { path } of this.objects.list('')) if (path.endsWith(SEALED) && is(path)) return true;
    return false;
  }

  async olderThan(folder: string, beforeMs: number): Promise<string[]> {
    await endUploads(this.objects, folder, beforeMs);
    const found: string[] = [];
    for await (const { path, writtenMs } of this.objects.list(folder)) if (writtenMs < beforeMs) found.push(path);
    return found;
  }

  /**
   * @returns the stamp of the copy that is what was sealed; undefined: the server has no such file
   * @throws AppError `archive-store-away`, also where a file comes whole and the local disk does not keep it so
   */
  async #fetchUnlessWhole(copy: Copy, file: StoredFile, how: OpenHow): Promise<string | undefined> {
    let cameWhole = false;
    for (let fetches = 0; ; fetches += 1) {
      const stamp = await this.#stampOfWhole(copy, file, how);
      if (stamp !== undefined) return stamp;
      if (!how.mayFetch) throw this.objects.away(new Error('it was asked for another file just now'));
      if (fetches < FETCHES) cameWhole = await this.#download(file);
      else if (cameWhole) throw this.objects.away(new Error('ARCHIVE_CACHE does not keep what was written to it'));
      else return undefined;
    }
  }

  /** Looked at before the copy is read: a write meanwhile gives it another stamp. A copy that is not whole is dropped. */
  async #stampOfWhole(copy: Copy, { path, sha256 }: StoredFile, { isKnown }: OpenHow): Promise<string | undefined> {
    const stamp = await copy.stampNow();
    if (stamp === undefined) return undefined;
    if (isKnown(stamp) || (await digestIfReadable(copy.path))?.sha256 === sha256) return stamp;
    await this.cache.drop(basename(path));
    return undefined;
  }

  /** @returns whether the file came whole. Who needs the same file at the same time has the same answer. */
  async #download(file: StoredFile): Promise<boolean> {
    const known = this.#downloads.get(file.path);
    if (known !== undefined) return known;
    const download = this.work.aside(async (aside) => {
      const digest = await this.objects.read(file.path, (object) => this.#write(object, aside));
      if (digest?.sha256 !== file.sha256) return false;
      await this.cache.add(aside, basename(file.path));
      return true;
    });
    this.#downloads.set(file.path, download);
    try {
      return await download;
    } finally {
      this.#downloads.delete(file.path);
    }
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
