import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export interface FileDigest {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export async function digestOf(path: string): Promise<FileDigest> {
  return digestOfBytes(createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>);
}

async function digestOfBytes(chunks: AsyncIterable<Uint8Array>): Promise<FileDigest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
