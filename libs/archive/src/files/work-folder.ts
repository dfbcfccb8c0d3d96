import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';

/** Others may write to the same disk, PostgreSQL first of all; either is enough. */
const LEAST_FREE = { share: 0.1, bytes: 5 * 1024 ** 3 };

/** A local folder for what is being written and what DuckDB spills; all of it may be lost. */
export class WorkFolder {
  /** Of this process alone: DuckDB's names in it are always the same. */
  readonly spillFolder: string;

  constructor(
    private readonly folder: string,
    private readonly spaceOf: (path: string) => Promise<Record<'bavail' | 'blocks' | 'bsize', number>> = statfs,
  ) {
    this.spillFolder = join(folder, `spill-${randomUUID()}`);
  }

  /** Hands out the name of a file that does not exist yet; afterwards it does not exist any more. */
  async aside<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = join(await this.make(), randomUUID());
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Before so many bytes are written. @throws AppError `archive-no-space` */
  async expectSpace(bytes = 0): Promise<void> {
    const { isEnough, freeBytes } = await this.#space(bytes);
    if (isEnough) return;
    throw new AppError('archive-no-space', ARCHIVE_ERRORS['archive-no-space'], {
      retryable: true,
      details: { folder: this.folder, freeBytes },
    });
  }

  async hasSpace(bytes: number): Promise<boolean> {
    return (await this.#space(bytes)).isEnough;
  }

  async #space(bytes: number) {
    const { bavail, blocks, bsize } = await this.spaceOf(await this.make());
    const freeBytes = bavail * bsize;
    const left = freeBytes - bytes;
    return { freeBytes, isEnough: left >= LEAST_FREE.share * blocks * bsize || left >= LEAST_FREE.bytes };
  }

  /** Removes what killed processes left unfinished. */
  async clear(beforeMs: number): Promise<void> {
    // No folder yet. One that cannot be read fails the next write.
    for (const name of await readdir(this.folder).catch(() => [])) {
      const path = join(this.folder, name);
      // Removed meanwhile.
      const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: Infinity };
      if (mtimeMs < beforeMs) await rm(path, { recursive: true, force: true });
    }
  }

  /** @returns the folder, which then exists */
  async make(): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    return this.folder;
  }
}
