import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DAY_MS } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { OpenedFile } from './archive-store.js';
import { stampOf } from './file-stamp.js';

const UUID_LENGTH = 36;

/**
 * Copies of files on the local disk, at most so many bytes; the longest unused go first. Any number of processes may
 * share the folder. A use is an empty file of its own in the work folder, `<uuid>-<name of the copy>`. When the use ends,
 * that file becomes the mark of the copy's last use. So no use changes a copy's own time of change: only a write does.
 */
export class FileCache {
  readonly #copies: string;
  readonly #lastUses: string;
  #coming = 0;

  constructor(
    folder: string,
    private readonly work: WorkFolder,
    readonly maxBytes: number,
  ) {
    this.#copies = join(folder, 'files');
    this.#lastUses = join(folder, 'last-uses');
  }

  /** From then on no process lets the copy go, whether it is there already or comes later. */
  async use(name: string): Promise<Omit<OpenedFile, 'stamp'>> {
    const path = join(this.#copies, name);
    const use = join(await this.work.make(), `${randomUUID()}-${name}`);
    await mkdir(this.#lastUses, { recursive: true, mode: 0o700 });
    await writeFile(use, '', { flag: 'wx', mode: 0o600 });
    const close = () =>
      rename(use, join(this.#lastUses, name)).catch((error: NodeJS.ErrnoException) => {
        // The folders were emptied.
        if (error.code !== 'ENOENT') throw error;
      });
    return { path, stampNow: () => stampOf(path), close };
  }

  /** Makes a file written aside the copy. Where another process was faster, its copy stays: readers may have opened it. */
  async add(written: string, name: string): Promise<void> {
    await mkdir(this.#copies, { recursive: true, mode: 0o700 });
    const path = join(this.#copies, name);
    if ((await stampOf(path)) === undefined) await rename(written, path);
  }

  async drop(name: string): Promise<void> {
    for (const folder of [this.#copies, this.#lastUses]) await rm(join(folder, name), { force: true });
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
    const copies = await this.#list();
    let total = this.#coming + copies.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of copies.sort((a, b) => a.usedMs - b.usedMs)) {
      if (total <= this.maxBytes && (await this.work.hasSpace(this.#coming))) return;
      // A use that begins between the look and the removal finds that the file changed, and asks once more.
      if ((await this.#inUse()).has(name)) continue;
      await this.drop(name);
      total -= size;
    }
    if (total > this.maxBytes) {
      throw new AppError('archive-cache-full', ARCHIVE_ERRORS['archive-cache-full'], {
        retryable: true,
        details: { folder: this.#copies, maxBytes: this.maxBytes, neededBytes: total },
      });
    }
    await this.work.expectSpace(this.#coming);
  }

  async #inUse(): Promise<Set<string>> {
    const names = await readdir(await this.work.make());
    return new Set(names.map((name) => name.slice(UUID_LENGTH + 1)));
  }

  /** Marks of copies that are gone go as well. */
  async #list(): Promise<{ name: string; size: number; usedMs: number }[]> {
    const [copies, marks] = [await filesIn(this.#copies), await filesIn(this.#lastUses)];
    for (const name of marks.keys()) if (!copies.has(name)) await rm(join(this.#lastUses, name), { force: true });
    return [...copies].map(([name, { size, mtimeMs }]) => ({
      name,
      size,
      usedMs: Math.max(mtimeMs, marks.get(name)?.mtimeMs ?? 0),
    }));
  }
}

async function filesIn(folder: string): Promise<Map<string, { size: number; mtimeMs: number }>> {
  // No folder yet, or a file removed meanwhile.
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const info = await stat(join(folder, name)).catch(() => undefined); // removed meanwhile
      return info === undefined ? [] : [[name, info] as const];
    }),
  );
  return new Map(found.flat());
}
