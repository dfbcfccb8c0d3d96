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

  /** As `check`; but while no file counts, the folder becomes the archive's, whatever it was. */
  async claim(): Promise<void> {
    const marker = await this.store.marker();
    if (marker !== undefined && marker === (await this.manifest.folderId())) return;
    const claimed = await this.manifest.moveTo(async () => (await this.store.marker()) ?? this.store.mark());
    // Others did it meanwhile, or there are files, and they are elsewhere.
    if (!claimed) await this.check();
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
