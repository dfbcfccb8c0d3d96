import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

import { AppError, failpoint } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';

export interface FileDigest {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Others may write to the same disk, PostgreSQL first of all; either is enough. */
const LEAST_FREE = { share: 0.1, bytes: 5 * 1024 ** 3 };
const WORK_FOLDER = 'work';
/** Says which folder this is; see FolderMarker. */
const MARKER = 'archive-id';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * The archive's files in a folder. A file appears under its name whole and on disk, or not at all; names are
 * never used twice. `work/` holds what is being written and what DuckDB spills; all of it may be lost.
 */
export class ArchiveFolder {
  /** Of this process alone: DuckDB's names in it are always the same. */
  readonly spillFolder: string;

  private readonly root: string;

  constructor(
    root: string,
    private readonly spaceOf: (path: string) => Promise<Record<'bavail' | 'blocks' | 'bsize', number>> = statfs,
  ) {
    this.root = resolve(root);
    this.spillFolder = join(this.root, WORK_FOLDER, `spill-${randomUUID()}`);
  }

  pathOf(path: string): string {
    return join(this.root, path);
  }

  /** @returns the folder's id; undefined when it has none, or is not there */
  async marker(): Promise<string | undefined> {
    try {
      const id = (await readFile(this.pathOf(MARKER), 'utf8')).trim();
      return UUID.test(id) ? id : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Gives the folder an id, on disk before it is used; makes the folder where there is none. */
  async mark(): Promise<string> {
    const id = randomUUID();
    await this.aside(async (aside) => {
      await writeFile(aside, `${id}\n`, { mode: 0o600 });
      await sync(aside);
      await rename(aside, this.pathOf(MARKER));
      await sync(this.root);
    });
    return id;
  }

  /** Hands out the name of a file that does not exist yet; afterwards it does not exist any more. */
  async aside<T>(work: (path: string) => Promise<T>): Promise<T> {
    await mkdir(join(this.root, WORK_FOLDER), { recursive: true, mode: 0o700 });
    const path = join(this.root, WORK_FOLDER, randomUUID());
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Gives a file written aside its name, once all of it is on disk. */
  async place(written: string, path: string): Promise<FileDigest> {
    const target = this.pathOf(path);
    await chmod(written, 0o600);
    await sync(written);
    const digest = await digestOf(written);
    await makeDurableFolder(this.root, dirname(target));
    failpoint('archive.before-rename');
    await rename(written, target);
    await sync(dirname(target));
    return digest;
  }

  /** @throws AppError `archive-no-space` */
  async expectSpace(): Promise<void> {
    const { bavail, blocks, bsize } = await this.spaceOf(this.root);
    if (bavail >= LEAST_FREE.share * blocks || bavail * bsize >= LEAST_FREE.bytes) return;
    throw new AppError('archive-no-space', ARCHIVE_ERRORS['archive-no-space'], {
      retryable: true,
      details: { folder: this.root, freeBytes: bavail * bsize },
    });
  }

  /** @returns undefined when there is no such file, or the disk cannot read it */
  async digest(path: string): Promise<FileDigest | undefined> {
    try {
      return await digestOf(this.pathOf(path));
    } catch (error) {
      if (['ENOENT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await rm(this.pathOf(path), { force: true });
  }

  /** Files below a folder of the archive that were last written before an instant. */
  async olderThan(folder: string, beforeMs: number): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await entriesBelow(this.pathOf(folder))) {
      const path = join(entry.parentPath, entry.name);
      const written = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
      if (written !== undefined && written.mtimeMs < beforeMs) found.push(relative(this.root, path));
    }
    return found;
  }

  /** Removes what killed processes left unfinished. */
  async clearWork(beforeMs: number): Promise<void> {
    const work = this.pathOf(WORK_FOLDER);
    for (const name of await readdir(work).catch(() => [])) {
      const { mtimeMs } = (await stat(join(work, name)).catch(() => undefined)) ?? { mtimeMs: Infinity };
      if (mtimeMs < beforeMs) await rm(join(work, name), { recursive: true, force: true });
    }
  }
}

async function entriesBelow(folder: string) {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function digestOf(path: string): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** A new folder is an entry in the one above it, and so on up to the archive's. */
async function makeDurableFolder(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let path = dirname(folder); path.startsWith(root); path = dirname(path)) await sync(path);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
