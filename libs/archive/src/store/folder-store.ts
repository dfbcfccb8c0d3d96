import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { DAY_MS } from '@hopcount/ledger';
import { failpoint } from '@hopcount/runtime';

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
import { digestIfReadable, digestOf, type FileDigest } from './digest.js';
import { stampOf } from './file-stamp.js';

/** The archive's files in a folder, on the disk of the work folder. */
export class FolderStore implements ArchiveStore {
  readonly scrubEveryMs = DAY_MS;
  readonly keepsBytes = Infinity;

  /** @param name absolute path */
  constructor(
    readonly name: string,
    private readonly work: WorkFolder,
  ) {}

  async marker(): Promise<string | undefined> {
    try {
      return parseMarker(await readFile(this.#pathOf(MARKER), 'utf8'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Makes the folder where there is none. */
  async mark(): Promise<string> {
    const id = randomUUID();
    await this.work.aside(async (aside) => {
      await writeFile(aside, `${id}\n`, { mode: 0o600 });
      await sync(aside);
      await rename(aside, this.#pathOf(MARKER));
      await sync(this.name);
    });
    return id;
  }

  async put(written: string, path: string): Promise<FileDigest> {
    const target = this.#pathOf(path);
    await chmod(written, 0o600);
    await sync(written);
    const digest = await digestOf(written);
    await makeDurableFolder(this.name, dirname(target));
    failpoint('archive.before-rename');
    await rename(written, target);
    await sync(dirname(target));
    return digest;
  }

  digest(path: string): Promise<FileDigest | undefined> {
    return digestIfReadable(this.#pathOf(path));
  }

  stamp(path: string): Promise<string | undefined> {
    return stampOf(this.#pathOf(path));
  }

  /** The file itself: replaced ones are removed only when no reader can hold them. Read twice before it is believed to be damaged. */
  async open({ path, sha256 }: StoredFile, { isKnown }: OpenHow): Promise<OpenedFile | undefined> {
    const [local, stampNow] = [this.#pathOf(path), () => this.stamp(path)];
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      // Before the file is read: what is written meanwhile gives it another stamp.
      const stamp = await stampNow();
      if (stamp === undefined) return undefined;
      if (!isKnown(stamp) && (await this.digest(path))?.sha256 !== sha256) continue;
      return { path: local, stamp, stampNow, close: () => Promise.resolve() };
    }
    return undefined;
  }

  async remove(path: string): Promise<void> {
    await rm(this.#pathOf(path), { force: true });
  }

  async hasFile(is: (path: string) => boolean): Promise<boolean> {
    const entries = await entriesBelow(this.name);
    return entries.some(
      ({ parentPath, name }) => name.endsWith(SEALED) && is(relative(this.name, join(parentPath, name))),
    );
  }

  async olderThan(folder: string, beforeMs: number): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await entriesBelow(this.#pathOf(folder))) {
      const path = join(entry.parentPath, entry.name);
      // Removed meanwhile.
      const written = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
      if (written !== undefined && written.mtimeMs < beforeMs) found.push(relative(this.name, path));
    }
    return found;
  }

  #pathOf(path: string): string {
    return join(this.name, path);
  }
}

async function entriesBelow(folder: string) {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
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

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
