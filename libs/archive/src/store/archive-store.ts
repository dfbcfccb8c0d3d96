import { AppError, type ErrorCode, isAppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { FileDigest } from './digest.js';

/** Name of what says which store this is; see FolderMarker. */
export const MARKER = 'archive-id';
/** How names of sealed files end. */
export const SEALED = '.parquet';
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
  /** What the file system said of it before it was compared with its SHA-256: a write to the file changes it. */
  stamp: string;
  /** The same as it is now; undefined: the file is gone. */
  stampNow(): Promise<string | undefined>;
  /** From then on the path may lead nowhere. */
  close(): Promise<void>;
}

export interface OpenHow {
  /** Whether this process compared the file with its SHA-256 when it had this stamp. */
  isKnown: (stamp: string) => boolean;
  /** False: the store is away, so who has no copy need not ask again. */
  mayFetch: boolean;
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
  /** How many bytes of files can be at hand at once. */
  readonly keepsBytes: number;
  /** @returns the store's id (see FolderMarker); undefined when it has none, or is not there */
  marker(): Promise<string | undefined>;
  /** Gives the store an id, durable before it is used. */
  mark(): Promise<string>;
  /** Brings a file written aside under its name. */
  put(written: string, path: string): Promise<FileDigest>;
  /** Of what is stored, read to its end. @returns undefined when there is no such file, or it cannot be read */
  digest(path: string): Promise<FileDigest | undefined>;
  /** Of what is stored, if that is what `open` hands out; undefined: nobody knows. */
  stamp(path: string): Promise<string | undefined>;
  /** @returns undefined when there is no such file, or it is not what was sealed */
  open(file: StoredFile, how: OpenHow): Promise<OpenedFile | undefined>;
  remove(path: string): Promise<void>;
  /** Whether it has a Parquet file for whose path this holds. Changes nothing, whoever's store it is. */
  hasFile(is: (path: string) => boolean): Promise<boolean>;
  /** Files below a folder of the archive that were last written before an instant. */
  olderThan(folder: string, beforeMs: number): Promise<string[]>;
}

export type LocalFile<File> = File & { local: string; stamp: string };

/** @throws AppError `archive-file-changed` where a file was written to since it was opened */
export type ExpectUnchanged = () => Promise<void>;

/** A bucket answers several requests in the time of one. */
const OPENED_AT_ONCE = 4;

const NOT_NOW: readonly ErrorCode[] = ['archive-store-away', 'archive-cache-full', 'archive-no-space'];

export interface OpenOptions<File> {
  isKnown: (file: File, stamp: string) => boolean;
  onUnusable?: (file: File) => Promise<void>;
  /** Given, files that cannot be had right now are left out, and this is why; else they are an error. */
  onAway?: ((error: AppError) => void) | undefined;
}

/**
 * Hands those of the files that are what was sealed to `work`, at local paths that hold until it is done. What `work` found in
 * a file that was written to meanwhile is never returned; what it commits it has to commit after `expectUnchanged`.
 * @throws AppError `archive-file-changed`
 */
export async function withOpened<File extends StoredFile, T>(
  store: ArchiveStore,
  files: readonly File[],
  options: OpenOptions<File>,
  work: (usable: LocalFile<File>[], expectUnchanged: ExpectUnchanged) => Promise<T>,
): Promise<T> {
  const opened: (OpenedFile | undefined)[] = [];
  let next = 0;
  let mayFetch = true;
  const openSome = async () => {
    for (let at = next++; at < files.length; at = next++) {
      const file = files[at] as File;
      try {
        opened[at] = await store.open(file, { isKnown: (stamp) => options.isKnown(file, stamp), mayFetch });
        if (opened[at] === undefined) await options.onUnusable?.(file);
      } catch (error) {
        if (options.onAway === undefined || !isNotNow(error)) {
          next = files.length;
          throw error;
        }
        mayFetch = false;
        options.onAway(error);
      }
    }
  };
  try {
    const ended = await Promise.allSettled(Array.from({ length: OPENED_AT_ONCE }, openSome));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    const usable = files.flatMap((file, at) => {
      const one = opened[at];
      return one === undefined ? [] : [{ ...file, local: one.path, stamp: one.stamp }];
    });
    const result = await work(usable, () => expectUnchanged(opened));
    await expectUnchanged(opened);
    return result;
  } finally {
    for (const one of opened) await one?.close();
  }
}

async function expectUnchanged(opened: readonly (OpenedFile | undefined)[]): Promise<void> {
  const changed = await Promise.all(
    opened.map(async (one) => (one === undefined || (await one.stampNow()) === one.stamp ? undefined : one.path)),
  );
  const path = changed.find((one) => one !== undefined);
  if (path === undefined) return;
  const code = 'archive-file-changed';
  throw new AppError(code, ARCHIVE_ERRORS[code], { retryable: true, details: { path } });
}

function isNotNow(error: unknown): error is AppError {
  return isAppError(error) && NOT_NOW.includes(error.code);
}
