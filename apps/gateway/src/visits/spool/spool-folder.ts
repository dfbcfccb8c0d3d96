import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { lifeOf, ownIdentity, type ProcessIdentity } from './process-identity.js';

export const LOCK_FILE = 'owner.lock';
export const SEGMENT_SUFFIX = '.spool';
/** Behind the name of a segment that is kept for a human: all that can be read of it is in Kafka. */
export const DAMAGED_SUFFIX = '.damaged';
/** Prefix of a folder still being made; it never holds a segment. */
const UNBORN = '.new-';
/** In an owner's folder, for the moment of a look at the disk; it never holds a visit. */
const PROBE = 'probe';
/** As much as a large group of visits. */
const PROBE_BYTES = 256 * 1_024;
/** Beside the owners' folders: records Kafka rejects (RejectedFolder), which nobody adopts. */
export const REJECTED = 'rejected';
/** A lock of another container or machine is dead when nobody has touched it for so long (`beat`). */
const FOREIGN_DEAD_AFTER_MS = 60_000;

export interface SegmentFile {
  path: string;
  sizeBytes: number;
  modifiedMs: number;
}

/**
 * One owner per folder: each process life writes to `<root>/<owner>/`, which holds `owner.lock`
 * (pid, start time, boot and pid namespace) from the moment it has its final name: it is made under
 * a temporary one and renamed. So a folder without a lock was closed in good order, and one whose
 * owner is dead was not; the segments of both may be taken over. Taking over is one rename per
 * segment: of two processes that try, one gets the file and the other ENOENT, and a crash half-way
 * leaves every segment in exactly one folder. A segment taken over gets the next name of its new owner:
 * no name is used twice, whoever takes from whom, and owners' names are unique.
 *
 * Being dead is a guess for owners elsewhere, and the guess may be wrong. Then both write on, each in
 * its folder: see SegmentWriter for why that loses nothing, and {@link beat} for how the owner notices.
 */
export class SpoolFolder {
  #sequence = 0;

  private constructor(
    private readonly root: string,
    private readonly owner: string,
  ) {}

  static async open(root: string, owner: string): Promise<SpoolFolder> {
    const unborn = join(root, `${UNBORN}${owner}`);
    await mkdir(unborn, { recursive: true });
    await writeLock(unborn);
    await rename(unborn, join(root, owner));
    await syncDirectory(root);
    return new SpoolFolder(root, owner);
  }

  get path(): string {
    return join(this.root, this.owner);
  }

  /** A name that no segment ever had. */
  nextSegmentPath(): string {
    this.#sequence += 1;
    return join(this.path, `${this.owner}-${String(this.#sequence).padStart(10, '0')}${SEGMENT_SUFFIX}`);
  }

  /** Every segment lying here, oldest first. */
  async segments(): Promise<SegmentFile[]> {
    const found: SegmentFile[] = [];
    for (const file of await readdir(this.path)) {
      if (!file.endsWith(SEGMENT_SUFFIX)) continue;
      const path = join(this.path, file);
      const { size, mtimeMs } = await stat(path);
      found.push({ path, sizeBytes: size, modifiedMs: mtimeMs });
    }
    return found.sort((a, b) => a.modifiedMs - b.modifiedMs);
  }

  /**
   * Moves the segments of dead owners here; returns whose they were.
   * @param onFailure what the system does not let us take: its visits are not counted until it does
   */
  async adoptAbandoned(onFailure: (path: string, error: unknown) => void): Promise<string[]> {
    const owners = new Set<string>();
    for (const name of await readdir(this.root)) {
      if (name === this.owner || name === REJECTED) continue;
      const folder = join(this.root, name);
      const missing = (path: string) => (error: NodeJS.ErrnoException) => {
        // ENOENT: another process has just adopted it.
        if (error.code !== 'ENOENT') onFailure(path, error);
        return undefined;
      };
      if ((await isAbandoned(folder).catch(missing(folder))) !== true) continue;
      for (const file of (await readdir(folder).catch(missing(folder))) ?? []) {
        if (!file.endsWith(SEGMENT_SUFFIX)) continue;
        const path = join(folder, file);
        await rename(path, this.nextSegmentPath()).then(() => owners.add(name), missing(path));
      }
      // What cannot be removed now is removed by the next look.
      for (const name of [LOCK_FILE, PROBE]) await rm(join(folder, name), { force: true }).catch(() => undefined);
      await rmdir(folder).catch(() => undefined); // not empty: damaged segments are kept for a human
    }
    if (owners.size > 0) await syncDirectory(this.path);
    return [...owners];
  }

  /** Whether the disk takes a group of visits again. @throws the system's error (disk full, read-only, failing) */
  async probe(): Promise<void> {
    const path = join(this.path, PROBE);
    try {
      await writeFile(path, Buffer.alloc(PROBE_BYTES), { flush: true });
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Makes a new file's name survive a power cut, as fdatasync does its content. */
  async sync(): Promise<void> {
    await syncDirectory(this.path);
  }

  /** Gives up ownership: what is left here may be adopted at once. */
  async release(): Promise<void> {
    await rm(join(this.path, LOCK_FILE), { force: true });
    await rmdir(this.path).catch(() => undefined); // not empty: the next process adopts what is left
  }

  /** A sign of life, for owners that cannot ask about our pid. False when the folder was taken from us. */
  async beat(): Promise<boolean> {
    const now = new Date();
    try {
      await utimes(join(this.path, LOCK_FILE), now, now);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  }

  /**
   * Owns the folder again after somebody adopted or emptied it. Whoever looks between the folder and
   * its lock, or is still busy adopting and deletes the new lock too, takes it once more: noticed again.
   */
  async reclaim(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    try {
      await writeLock(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await this.beat();
    }
    await syncDirectory(this.root);
  }
}

async function writeLock(folder: string): Promise<void> {
  await writeFile(join(folder, LOCK_FILE), JSON.stringify(ownIdentity()), { flag: 'wx', flush: true });
}

/** @throws the system's error when its lock cannot be read */
async function isAbandoned(folder: string): Promise<boolean> {
  const lock = join(folder, LOCK_FILE);
  try {
    const modifiedMs = (await stat(lock)).mtimeMs;
    const owner = parseLock(await readFile(lock, 'utf8'));
    const life = owner === undefined ? 'foreign' : lifeOf(owner);
    if (life === 'foreign') return Date.now() - modifiedMs > FOREIGN_DEAD_AFTER_MS;
    return life === 'dead';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return false;
    if (code !== 'ENOENT') throw error;
    // No lock: closed in good order, unless the folder is only just being made, or was removed meanwhile.
    const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory() ?? false;
    return isFolder && !folder.includes(`/${UNBORN}`);
  }
}

function parseLock(text: string): ProcessIdentity | undefined {
  try {
    const lock = JSON.parse(text) as Partial<ProcessIdentity>;
    if (typeof lock.pid !== 'number' || typeof lock.startTicks !== 'string') return undefined;
    return { pid: lock.pid, startTicks: lock.startTicks, realm: String(lock.realm) };
  } catch {
    // A lock that is damaged names no owner; its age decides.
    return undefined;
  }
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
