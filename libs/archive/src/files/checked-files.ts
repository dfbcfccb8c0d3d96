import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import { type ArchiveStore, type LocalFile, type OpenOptions, withOpened } from '../store/archive-store.js';
import type { FolderMarker } from './folder-marker.js';

const REMEMBERED_AT_MOST = 100_000;
const AGAIN_AFTER_MS = 60_000;

type Known = Pick<ArchiveFile, 'id' | 'path' | 'sha256' | 'visits'>;

/**
 * Parquet pages carry no check sum of their own here, and DuckDB reads damaged ones without a word: so each file
 * is held against its SHA-256 when this process first opens it. A damaged one is set aside, never answered from.
 */
export class CheckedFiles {
  readonly #good = new Set<string>();
  /** When a file that was not what was sealed is looked at again, so that not every question reads it. */
  readonly #againAtMs = new Map<string, number>();

  constructor(
    private readonly store: ArchiveStore,
    private readonly manifest: Pick<ArchiveManifest, 'setAside'>,
    private readonly marker: Pick<FolderMarker, 'check'>,
    private readonly onDamaged: (file: Known) => void,
  ) {}

  /**
   * Hands those of the files that are what was sealed to `work`, at local paths that hold until it is done.
   * `anew`: whatever is known of them, as for what is written anew from them. `onAway`: those that cannot be had
   * right now are left out, and this is why.
   * @throws AppError `archive-folder-missing`, without `onAway` `archive-store-away`: nothing was set aside
   */
  async use<File extends Known, T>(
    files: readonly File[],
    work: (usable: LocalFile<File>[]) => Promise<T>,
    options: { anew?: boolean; onAway?: OpenOptions<File>['onAway'] } = {},
  ): Promise<T> {
    const isKnown = ({ id }: File) => options.anew !== true && this.#good.has(id);
    const onUnusable = (file: File) => this.#setAside(file);
    const isWorthALook = ({ id }: File) => options.anew === true || (this.#againAtMs.get(id) ?? 0) <= Date.now();
    const worthALook = files.filter(isWorthALook);
    return withOpened(this.store, worthALook, { isKnown, onUnusable, onAway: options.onAway }, async (usable) => {
      if (this.#good.size + usable.length > REMEMBERED_AT_MOST) this.#good.clear();
      for (const { id } of usable) this.#good.add(id);
      return work(usable);
    });
  }

  /** Reads all of what is stored. @throws AppError `archive-folder-missing`: nothing was set aside */
  async check(file: Known): Promise<boolean> {
    // Twice: what was damaged on its way to us is not damaged there.
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      if ((await this.store.digest(file.path))?.sha256 !== file.sha256) continue;
      this.#againAtMs.delete(file.id);
      return true;
    }
    await this.#setAside(file);
    return false;
  }

  async #setAside(file: Known): Promise<void> {
    this.#good.delete(file.id);
    await this.marker.check();
    if (this.#againAtMs.size >= REMEMBERED_AT_MOST) this.#againAtMs.clear();
    this.#againAtMs.set(file.id, Date.now() + AGAIN_AFTER_MS);
    if (await this.manifest.setAside(file.id)) this.onDamaged(file);
  }
}
