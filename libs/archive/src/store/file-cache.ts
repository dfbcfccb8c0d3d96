import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { DAY_MS } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { OpenedFile } from './archive-store.js';
import { isUnwritten, stampOfCopy } from './file-stamp.js';

/**
 * Copies of files on the local disk, at most so many bytes; the longest unused go first. Any number of processes may
 * share the folder. Whoever uses a copy holds a hard link to it in the work folder: DuckDB opens that, so the copy
 * stays readable whatever becomes of its name here, and a copy that somebody uses is known by its number of links.
 */
export class FileCache {
  #coming = 0;

  constructor(
    private readonly folder: string,
    private readonly work: WorkFolder,
    readonly maxBytes: number,
  ) {}

  /** @returns undefined when there is no copy */
  async take(name: string): Promise<OpenedFile | undefined> {
    const used = await this.#nameOfUse(name);
    try {
      await link(join(this.folder, name), used);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    const stamp = await stampOfCopy(used);
    // The time of a write has to stay until the copy is compared with its SHA-256.
    if (stamp !== undefined && isUnwritten(stamp)) await noteUse(used);
    return opened(used, stamp);
  }

  /** A copy that was taken is what was sealed, whoever wrote to it. */
  async accept({ path }: OpenedFile): Promise<OpenedFile> {
    await noteUse(path);
    return opened(path, await stampOfCopy(path));
  }

  /** Makes a file written aside a copy, and takes it. */
  async add(written: string, name: string): Promise<OpenedFile> {
    const used = await this.#nameOfUse(name);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await rename(written, used);
    await link(used, join(this.folder, name)).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster: both are the same, by their SHA-256.
      if (error.code !== 'EEXIST') throw error;
    });
    await noteUse(used);
    return opened(used, await stampOfCopy(used));
  }

  async drop(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }

  /**
   * Lets copies go until so many bytes more fit in, beside all that is being fetched.
   * @throws AppError `archive-cache-full` where what is in use leaves no room, `archive-no-space`
   */
  async withRoomFor<T>(bytes: number, fetch: () => Promise<T>): Promise<T> {
    this.#coming += bytes;
    try {
      await this.#makeRoom();
      return await fetch();
    } finally {
      this.#coming -= bytes;
    }
  }

  async #makeRoom(): Promise<void> {
    // What a killed process held.
    await this.work.clear(Date.now() - DAY_MS);
    const copies = await this.#copies();
    let total = this.#coming + copies.reduce((sum, { size }) => sum + size, 0);
    const unused = copies
      .filter(({ nlink }) => nlink === 1)
      .sort((a, b) => a.mtimeMs - b.mtimeMs || a.ctimeMs - b.ctimeMs);
    for (const { name, size } of unused) {
      if (total <= this.maxBytes && (await this.work.hasSpace(this.#coming))) return;
      await this.drop(name);
      total -= size;
    }
    if (total > this.maxBytes) {
      throw new AppError('archive-cache-full', ARCHIVE_ERRORS['archive-cache-full'], {
        retryable: true,
        details: { folder: this.folder, maxBytes: this.maxBytes, neededBytes: total },
      });
    }
    await this.work.expectSpace(this.#coming);
  }

  async #copies() {
    // No folder yet, or a file removed meanwhile.
    const names = await readdir(this.folder).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const info = await stat(join(this.folder, name)).catch(() => undefined); // removed meanwhile
        return info === undefined
          ? []
          : [{ name, size: info.size, mtimeMs: info.mtimeMs, ctimeMs: info.ctimeMs, nlink: info.nlink }];
      }),
    );
    return found.flat();
  }

  async #nameOfUse(name: string): Promise<string> {
    return join(await this.work.make(), `${randomUUID()}-${basename(name)}`);
  }
}

/** In whole seconds: see stampOfCopy(). */
async function noteUse(path: string): Promise<void> {
  const seconds = Math.floor(Date.now() / 1_000);
  await utimes(path, seconds, seconds);
}

function opened(path: string, stamp = 'gone'): OpenedFile {
  return { path, stamp, stampNow: () => stampOfCopy(path), close: () => rm(path, { force: true }) };
}
