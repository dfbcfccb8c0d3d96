import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export interface FileDigest {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export async function digestOf(path: string): Promise<FileDigest> {
  return digestOfChunks(createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>);
}

/** @returns undefined when there is no such file, or it cannot be read */
export async function digestIfReadable(path: string): Promise<FileDigest | undefined> {
  try {
    return await digestOf(path);
  } catch (error) {
    if (['ENOENT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** `keep` is handed each chunk before the next is asked for. */
export async function digestOfChunks(
  chunks: AsyncIterable<Uint8Array>,
  keep?: (chunk: Uint8Array) => Promise<void>,
): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    await keep?.(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}
