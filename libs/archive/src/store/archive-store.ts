import type { ArchiveFile } from '../manifest/archive-file.js';
import type { FileDigest } from './digest.js';

/** Name of what says which store this is; see FolderMarker. */
export const MARKER = 'archive-id';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export function parseMarker(text: string): string | undefined {
  const id = text.trim();
  return UUID.test(id) ? id : undefined;
}

export type StoredFile = Pick<ArchiveFile, 'id' | 'path' | 'sha256'>;

/** A file as DuckDB can read it. */
export interface OpenedFile {
  /** Ends with the file's own name, and so with its id. */
  path: string;
  /** From then on the path may lead nowhere. */
  close(): Promise<void>;
}

/**
 * Where finished files are. A file appears under its name whole and durable, or not at all; names are never used
 * twice.
 */
export interface ArchiveStore {
  /** For people. */
  readonly name: string;
  /** How often each file is read for its SHA-256. */
  readonly scrubEveryMs: number;
  /** @returns the store's id (see FolderMarker); undefined when it has none, or is not there */
  marker(): Promise<string | undefined>;
  /** Gives the store an id, durable before it is used. */
  mark(): Promise<string>;
  /** Brings a file written aside under its name. */
  put(written: string, path: string): Promise<FileDigest>;
  /** Of what is stored, read to its end. @returns undefined when there is no such file, or it cannot be read */
  digest(path: string): Promise<FileDigest | undefined>;
  /**
   * `isKnown`: this process has held it against its SHA-256 before.
   * @returns undefined when there is no such file, or it is not what was sealed
   */
  open(file: StoredFile, isKnown: boolean): Promise<OpenedFile | undefined>;
  remove(path: string): Promise<void>;
  /** Files below a folder of the archive that were last written before an instant. */
  olderThan(folder: string, beforeMs: number): Promise<string[]>;
}

export type LocalFile<File> = File & { local: string };

/** Hands those of the files that are what was sealed to `work`, at local paths that hold until it is done. */
export async function withOpened<File extends StoredFile, T>(
  store: ArchiveStore,
  files: readonly File[],
  options: { isKnown: (file: File) => boolean; onUnusable?: (file: File) => Promise<void> },
  work: (usable: LocalFile<File>[]) => Promise<T>,
): Promise<T> {
  const opened: OpenedFile[] = [];
  try {
    const usable: LocalFile<File>[] = [];
    for (const file of files) {
      const one = await store.open(file, options.isKnown(file));
      if (one === undefined) {
        await options.onUnusable?.(file);
        continue;
      }
      opened.push(one);
      usable.push({ ...file, local: one.path });
    }
    return await work(usable);
  } finally {
    for (const one of opened) await one.close();
  }
}
