import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder the stack's archive is in, as a volume that can be away: then an empty folder is in its place. */
export class ArchiveVolume {
  #emptyFolders = 0;

  private constructor(private readonly dataDir: string) {}

  static async make(dataDir: string): Promise<ArchiveVolume> {
    const volume = new ArchiveVolume(dataDir);
    await mkdir(join(dataDir, VOLUME));
    await volume.bringBack();
    return volume;
  }

  /** ARCHIVE_URL. */
  get path(): string {
    return join(this.dataDir, 'archive');
  }

  async takeAway(): Promise<void> {
    const empty = `archive-empty-${(this.#emptyFolders += 1)}`;
    await mkdir(join(this.dataDir, empty));
    await this.#leadTo(empty);
  }

  async bringBack(): Promise<void> {
    await this.#leadTo(VOLUME);
  }

  /** At once: whoever opens a path finds the one or the other. */
  async #leadTo(folder: string): Promise<void> {
    const next = `${this.path}.next`;
    await symlink(folder, next);
    await rename(next, this.path);
  }
}

const VOLUME = 'archive-volume';
