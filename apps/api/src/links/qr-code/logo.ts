import { crc32, deflateSync, inflateSync } from 'node:zlib';

import { AppError } from '@hopcount/runtime';
import { PNG } from 'pngjs';

import { type Chunk, CHUNK_HEAD_BYTES, CHECKSUM_BYTES, encodeChunks, IHDR_BYTES, SIGNATURE } from './png-file.js';

const MAX_SIDE = 512;
const MAX_BYTES = 128 * 1_024;
/** Samples of a pixel and the bits that a sample may have, by colour type. */
const COLOUR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/**
 * The picture in a data URL of a PNG.
 * @throws AppError `invalid-data` when it is not a PNG, is damaged, or is larger than a logo may be
 */
export function parseLogo(dataUrl: string): PNG {
  const bytes = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
  if (bytes.length > MAX_BYTES) throw invalid(`A logo may have at most ${MAX_BYTES} bytes.`);
  const chunks = readChunks(bytes);
  const header = readHeader(chunks);
  const pixels = inflatePixels(chunks, header);
  try {
    return PNG.sync.read(encodeChunks(withPixels(chunks, pixels)));
  } catch {
    // pngjs says what it found in terms of its own parser, which a client cannot act on.
    throw damaged();
  }
}

/** Every chunk up to the end of the bytes. */
function readChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw invalid('The logo is not a PNG.');
  for (let at = SIGNATURE.length; at < bytes.length;) {
    const start = at + CHUNK_HEAD_BYTES;
    const end = start <= bytes.length ? start + bytes.readUInt32BE(at) : Infinity;
    if (end + CHECKSUM_BYTES > bytes.length) throw damaged();
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) throw damaged();
    chunks.push({ name: bytes.toString('latin1', at + 4, start), data: bytes.subarray(start, end) });
    at = end + CHECKSUM_BYTES;
  }
  return chunks;
}

/** The decoder takes the size from the last header it meets, so exactly one header may name a size, and a small one. */
function readHeader(chunks: readonly Chunk[]): { rowBytes: number; height: number } {
  const header = chunks[0]?.data;
  const names = chunks.map(({ name }) => name);
  const hasOneHeader = names.indexOf('IHDR') === 0 && names.lastIndexOf('IHDR') === 0;
  if (header?.length !== IHDR_BYTES || !hasOneHeader || names.indexOf('IEND') !== names.length - 1)
    throw invalid('The logo is not a PNG.');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE)
    throw invalid(`A logo may have at most ${MAX_SIDE} × ${MAX_SIDE} pixels.`);
  if (header[12] !== 0) throw invalid('The logo is interlaced: save it without.');
  const depth = header.readUInt8(8);
  const colours = COLOUR_TYPES[header.readUInt8(9)];
  if (colours?.depths.includes(depth) !== true) throw damaged();
  return { rowBytes: Math.ceil((width * colours.samples * depth) / 8), height };
}

/**
 * Of pixel data that is too short or cannot be inflated, pngjs 7 answers the rest of a buffer that it never wrote: other
 * requests' memory. So it is inflated here, and has to fill exactly the rows that the header promises.
 */
function inflatePixels(chunks: readonly Chunk[], { rowBytes, height }: { rowBytes: number; height: number }): Buffer {
  const packed = Buffer.concat(chunks.filter(({ name }) => name === 'IDAT').map(({ data }) => data));
  const expected = (rowBytes + 1) * height;
  try {
    const { buffer, engine } = inflateSync(packed, { maxOutputLength: expected, info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    if (buffer.length === expected && engine.bytesWritten === packed.length) return buffer;
  } catch {
    // Not a zlib stream, one that is cut short, or one of more pixels: the same answer for each.
  }
  throw damaged();
}

/** What decides about pixels (gamma is left out), and pixels that pngjs inflates to exactly those that were checked. */
function withPixels(chunks: readonly Chunk[], pixels: Buffer): Chunk[] {
  const kept = chunks.filter(({ name }) => ['IHDR', 'PLTE', 'tRNS'].includes(name));
  const end = { name: 'IEND', data: Buffer.alloc(0) };
  return [...kept, { name: 'IDAT', data: deflateSync(pixels, { level: 0 }) }, end];
}

function damaged(): AppError {
  return invalid('The logo is not a PNG that can be read: it is damaged or incomplete. Save it as a PNG again.');
}

function invalid(message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: ['logo'] } });
}
