import { crc32, deflate } from 'node:zlib';
import { promisify } from 'node:util';

export const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Before the data of a chunk: its length and its name. */
export const CHUNK_HEAD_BYTES = 8;
export const CHECKSUM_BYTES = 4;
export const IHDR_BYTES = 13;
const BITS_A_SAMPLE = 8;
/** By samples of a pixel: RGB and RGBA. */
const COLOUR_TYPES = { 3: 2, 4: 6 } as const;

export interface Chunk {
  name: string;
  data: Buffer;
}

/** Pixels of eight bits a sample, row by row. Before each row stands the byte of its filter: 0, none. */
export interface Raster {
  width: number;
  height: number;
  samples: keyof typeof COLOUR_TYPES;
  /** `(1 + width * samples) * height` bytes. */
  rows: Buffer;
}

const deflateAside = promisify(deflate);

/** Deflated outside of the event loop's thread. */
export async function encodePng({ width, height, samples, rows }: Raster): Promise<Buffer> {
  const header = Buffer.alloc(IHDR_BYTES);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = BITS_A_SAMPLE;
  header[9] = COLOUR_TYPES[samples];
  return encodeChunks([
    { name: 'IHDR', data: header },
    { name: 'IDAT', data: await deflateAside(rows) },
    { name: 'IEND', data: Buffer.alloc(0) },
  ]);
}

export function encodeChunks(chunks: readonly Chunk[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks.map(encodeChunk)]);
}

function encodeChunk({ name, data }: Chunk): Buffer {
  const bytes = Buffer.alloc(CHUNK_HEAD_BYTES + data.length + CHECKSUM_BYTES);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, CHUNK_HEAD_BYTES);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -CHECKSUM_BYTES)), bytes.length - CHECKSUM_BYTES);
  return bytes;
}
