import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ArchiveStore } from '../store/archive-store.js';

/**
 * The folder and PostgreSQL hold the same id. A volume that is not mounted, or another folder, has none or another
 * one: then nothing is set aside, written or removed, else every file would count as lost.
 */
export class FolderMarker {
  constructor(
    private readonly store: ArchiveStore,
    private readonly manifest: ArchiveManifest,
  ) {}

  /** As `check`; but while no file counts, the folder becomes the archive's, unless it is another ledger's. */
  async claim(): Promise<void> {
    const marker = await this.store.marker();
    if (marker !== undefined && marker === (await this.manifest.folderId())) return;
    const claimed = await this.manifest.moveTo(async () => {
      const found = await this.store.marker();
      if (found === undefined) return this.store.mark();
      await this.#expectOwn();
      return found;
    });
    // Others did it meanwhile, or there are files, and they are elsewhere.
    if (!claimed) await this.check();
  }

  /**
   * Of a place with an id that PostgreSQL does not have, nor any file that counts. A process that was killed here left it, and no
   * file; or PostgreSQL was restored to before its first sealing. With files of other ledgers alone it is theirs.
   */
  async #expectOwn(): Promise<void> {
    const lives = await this.manifest.lives();
    const isOwn = (path: string) => lives.some((life) => path.startsWith(`${life}/`));
    const isSealed = (path: string) => !path.startsWith('work/');
    if ((await this.store.hasFile(isOwn)) || !(await this.store.hasFile(isSealed))) return;
    throw new AppError('archive-folder-foreign', ARCHIVE_ERRORS['archive-folder-foreign'], {
      retryable: true,
      details: { folder: this.store.name },
    });
  }

  /** @returns the id; undefined before the first sealing. @throws AppError `archive-folder-missing` */
  async check(): Promise<string | undefined> {
    const [expected, found] = [await this.manifest.folderId(), await this.store.marker()];
    if (expected === found) return found;
    throw new AppError('archive-folder-missing', ARCHIVE_ERRORS['archive-folder-missing'], {
      retryable: true,
      details: { folder: this.store.name, expected, found },
    });
  }
}
