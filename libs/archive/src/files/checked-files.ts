import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import type { DamagedFile } from '../manifest/damaged-file.js';
import {
  type ArchiveStore,
  type ExpectUnchanged,
  type LocalFile,
  type OpenOptions,
  withOpened,
} from '../store/archive-store.js';
import type { FolderMarker } from './folder-marker.js';

const REMEMBERED_AT_MOST = 100_000;

type Known = Pick<ArchiveFile, 'id' | 'path' | 'sha256'>;

/** Called by the one process that set the file aside. */
export type OnDamaged = (file: DamagedFile) => void;

/**
 * DuckDB writes no checksums of Parquet pages and reads damaged pages without an error. So a file is compared with its SHA-256
 * when this process first opens it, and again whenever the file system says that it was written to. A damaged file is set aside
 * for all processes at once: the manifest says so in every snapshot from then on.
 */
export class CheckedFiles {
  /** By id: the stamp with which a file was what was sealed. */
  readonly #good = new Map<string, string>();

  constructor(
    private readonly store: ArchiveStore,
    private readonly manifest: Pick<ArchiveManifest, 'setAside'>,
    private readonly marker: Pick<FolderMarker, 'check'>,
    private readonly onDamaged: OnDamaged,
  ) {}

  /**
   * Hands those of the files that are what was sealed to `work`, at local paths that hold until it is done.
   * `anew`: whatever is known of them, as for what is written anew from them. `onAway`: those that cannot be had
   * right now are left out, and this is why.
   * @throws AppError `archive-folder-missing`, without `onAway` `archive-store-away`: nothing was set aside
   */
  async use<File extends Known, T>(
    files: readonly File[],
    work: (usable: LocalFile<File>[], expectUnchanged: ExpectUnchanged) => Promise<T>,
    options: { anew?: boolean; onAway?: OpenOptions<File>['onAway'] } = {},
  ): Promise<T> {
    const isKnown = ({ id }: File, stamp: string) => options.anew !== true && this.#good.get(id) === stamp;
    const onUnusable = (file: File) => this.#setAside(file);
    const how = { isKnown, onUnusable, onAway: options.onAway };
    return withOpened(this.store, files, how, async (usable, expectUnchanged) => {
      for (const { id, stamp } of usable) this.#remember(id, stamp);
      return work(usable, expectUnchanged);
    });
  }

  /** Reads all of what is stored. @throws AppError `archive-folder-missing`: nothing was set aside */
  async check(file: Known): Promise<boolean> {
    // Twice: what was damaged on its way to us is not damaged there.
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const stamp = await this.store.stamp(file.path);
      if ((await this.store.digest(file.path))?.sha256 !== file.sha256) continue;
      if (stamp !== undefined) this.#remember(file.id, stamp);
      return true;
    }
    await this.#setAside(file);
    return false;
  }

  #remember(id: string, stamp: string): void {
    if (this.#good.size >= REMEMBERED_AT_MOST) this.#good.clear();
    this.#good.set(id, stamp);
  }

  async #setAside(file: Known): Promise<void> {
    this.#good.delete(file.id);
    await this.marker.check();
    const damage = await this.manifest.setAside(file.id);
    if (damage !== undefined) this.onDamaged(damage);
  }
}
