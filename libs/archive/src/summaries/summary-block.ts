import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';

import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';
import type { LinkSummary } from './link-summary.js';

/** Where the summary of a link stands in a file, and how many visits it sums up. */
export interface SummaryPlace {
  from: number;
  bytes: number;
  visits: number;
}

export type SummaryIndex = ReadonlyMap<string, SummaryPlace>;

/** How a Parquet file ends: bytes of its footer (4), then these. */
const PARQUET = 'PAR1';
/** How the block ends: bytes of its index (4), then these. */
const MAGIC = 'HOPCOUNT';
const LENGTH_BYTES = 4;
const TO_BYTES = promisify(deflate);
const FROM_BYTES = promisify(inflate);

/** Of a file's summaries, which are in memory until all are made: some 120 million visits'. */
const MOST_BYTES = 32 << 20;

/**
 * Puts summaries into a finished Parquet file, between its row groups and its footer, where no reader of Parquet looks: so the
 * file's SHA-256 holds for them, and they come and go with it. The file may be read for as long as summaries come. Links whose
 * summaries would be more than `mostBytes` have none. @returns how many
 */
export async function addSummaries(
  path: string,
  summaries: AsyncIterable<[string, LinkSummary]>,
  mostBytes = MOST_BYTES,
): Promise<number> {
  const made: { linkId: string; bytes: Buffer; visits: number }[] = [];
  let left = mostBytes;
  for await (const [linkId, summary] of summaries) {
    const bytes = await TO_BYTES(JSON.stringify(summary));
    left -= bytes.length;
    if (left < 0) break;
    made.push({ linkId, bytes, visits: summary.days.reduce((sum, day) => sum + day.visits, 0) });
  }
  if (made.length === 0) return 0;
  const file = await open(path, 'r+');
  try {
    const { footer, from } = await readFooter(file);
    let next = from;
    const index = made.map(({ linkId, bytes, visits }): [string, SummaryPlace] => {
      const place = { from: next, bytes: bytes.length, visits };
      next += bytes.length;
      return [linkId, place];
    });
    const indexBytes = await TO_BYTES(JSON.stringify(index));
    const rest = Buffer.concat([indexBytes, lengthOf(indexBytes), Buffer.from(MAGIC), footer]);
    let at = from;
    for (const bytes of [...made.map((summary) => summary.bytes), rest]) {
      await writeAt(file, at, bytes);
      at += bytes.length;
    }
    return made.length;
  } finally {
    await file.close();
  }
}

/** Of a file without a block, an empty one. @throws AppError `archive-engine-failed` where the file is damaged */
export async function readIndex(path: string): Promise<SummaryIndex> {
  return reading(path, async (file) => {
    const end = (await readFooterStart(file)).from;
    const trailerBytes = LENGTH_BYTES + MAGIC.length;
    if (end < trailerBytes) return new Map();
    const trailer = await readAt(file, end - trailerBytes, trailerBytes);
    if (trailer.toString('latin1', LENGTH_BYTES) !== MAGIC) return new Map();
    const bytes = trailer.readUInt32LE(0);
    const index = await FROM_BYTES(await readAt(file, end - trailerBytes - bytes, bytes));
    return new Map(JSON.parse(index.toString()) as [string, SummaryPlace][]);
  });
}

/** @throws AppError `archive-engine-failed` where the file is damaged */
export async function readSummary(path: string, place: SummaryPlace): Promise<LinkSummary> {
  return reading(path, async (file) => {
    const bytes = await FROM_BYTES(await readAt(file, place.from, place.bytes));
    return JSON.parse(bytes.toString()) as LinkSummary;
  });
}

/** As DuckDB fails: whoever asks looks at the file again. */
async function reading<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const file = await open(path, 'r');
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw engineFailed(`Summaries of links cannot be read: ${String(error)}`);
  }
}

/** What a damaged file looks like to whoever reads it. */
export function engineFailed(reason: string): AppError {
  const code = 'archive-engine-failed';
  return new AppError(code, `${ARCHIVE_ERRORS[code]} ${reason}`, { details: { reason } });
}

async function readFooter(file: FileHandle): Promise<{ footer: Buffer; from: number }> {
  const { from, size } = await readFooterStart(file);
  return { from, footer: await readAt(file, from, size - from) };
}

async function readFooterStart(file: FileHandle): Promise<{ from: number; size: number }> {
  const { size } = await file.stat();
  const endBytes = LENGTH_BYTES + PARQUET.length;
  const end = await readAt(file, size - endBytes, endBytes);
  if (end.toString('latin1', LENGTH_BYTES) !== PARQUET) throw new Error('not a Parquet file');
  return { from: size - endBytes - end.readUInt32LE(0), size };
}

async function readAt(file: FileHandle, from: number, bytes: number): Promise<Buffer> {
  if (from < 0) throw new Error('the file is too short');
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
  if (bytesRead !== bytes) throw new Error('the file is too short');
  return buffer;
}

async function writeAt(file: FileHandle, from: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, from + done)).bytesWritten;
  }
}

function lengthOf(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return length;
}
