import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { ArchiveFolder } from './archive-folder.js';
import type { FolderMarker } from './folder-marker.js';

const REMEMBERED_AT_MOST = 100_000;

type Known = Pick<ArchiveFile, 'id' | 'path' | 'sha256' | 'visits'>;

/**
 * Parquet pages carry no check sum of their own here, and DuckDB reads damaged ones without a word: so each file
 * is held against its SHA-256 when this process first opens it. A damaged one is set aside, never answered from.
 */
export class CheckedFiles {
  readonly #good = new Set<string>();

  constructor(
    private readonly folder: ArchiveFolder,
    private readonly manifest: Pick<ArchiveManifest, 'setAside'>,
    private readonly marker: Pick<FolderMarker, 'check'>,
    private readonly onDamaged: (file: Known) => void,
  ) {}

  /** Those of the files that are what was sealed, for reading. What is written anew from them is checked again. */
  async usable<File extends Known>(files: readonly File[]): Promise<File[]> {
    const usable: File[] = [];
    for (const file of files) if (this.#good.has(file.id) || (await this.check(file))) usable.push(file);
    return usable;
  }

  /** Reads the whole file, whatever is known of it. @throws AppError `archive-folder-missing`: nothing was set aside */
  async check(file: Known): Promise<boolean> {
    const digest = await this.folder.digest(file.path);
    if (digest?.sha256 === file.sha256) {
      if (this.#good.size >= REMEMBERED_AT_MOST) this.#good.clear();
      this.#good.add(file.id);
      return true;
    }
    this.#good.delete(file.id);
    await this.marker.check();
    if (await this.manifest.setAside(file.id)) this.onDamaged(file);
    return false;
  }
}
