import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';

import type { Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { WorkFolder } from '../files/work-folder.js';
import { COPY_OPTIONS } from './read-csv.js';

/** What one question may copy out of PostgreSQL, of which a few are answered at once. */
const OF_A_QUESTION = 4 * 1024 ** 3;

/**
 * What PostgreSQL selects, into a file that `readCsv` reads. COPY takes no parameters: instants and ids stand in the
 * text, and are made of digits. @returns how many rows
 */
export function copyOut(tx: Transaction, select: string, path: string, signal?: AbortSignal): Promise<number> {
  return copyTo(tx, select, createWriteStream(path, { mode: 0o600 }), signal);
}

/**
 * As above, into a file that is there for as long as `work` takes. For questions: who asks must not fill the disk.
 * @throws AppError `archive-no-space`: it would take more than a question may, or the disk is nearly full
 */
export async function withCopy<T>(
  tx: Transaction,
  select: string,
  {
    folder,
    signal,
    maxBytes = OF_A_QUESTION,
  }: { folder: WorkFolder; signal: AbortSignal | undefined; maxBytes?: number },
  work: (path: string, rows: number) => Promise<T>,
): Promise<T> {
  await folder.expectSpace();
  return folder.aside(async (path) => {
    const rows = await copyTo(tx, select, boundedFile(path, maxBytes), signal).catch((error: unknown) => {
      throw (error as { code?: unknown }).code === 'ENOSPC' ? noSpace({ cause: error }) : error;
    });
    return work(path, rows);
  });
}

function copyTo(tx: Transaction, select: string, sink: Writable, signal: AbortSignal | undefined): Promise<number> {
  return tx.copyTo(`COPY (${select}) TO STDOUT ${COPY_OPTIONS}`, sink, signal);
}

function boundedFile(path: string, maxBytes: number): Writable {
  const file = createWriteStream(path, { mode: 0o600 });
  let bytes = 0;
  const bounded = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(noSpace({ details: { maxBytes } }));
      else file.write(chunk, done);
    },
    final: (done) => void file.end(done),
    destroy: (error, done) => {
      file.destroy();
      done(error);
    },
  });
  file.once('error', (error) => bounded.destroy(error));
  return bounded;
}

function noSpace(more: { cause?: unknown; details?: Record<string, unknown> }): AppError {
  return new AppError('archive-no-space', ARCHIVE_ERRORS['archive-no-space'], { retryable: true, ...more });
}
