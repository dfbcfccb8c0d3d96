import { AppError } from '@hopcount/runtime';
import { PNG } from 'pngjs';

const MAX_SIDE = 512;
const MAX_BYTES = 128 * 1_024;
const SIGNATURE_BYTES = 8;
/** Before the data of a chunk: its length and its name. */
const CHUNK_HEAD_BYTES = 8;
const CHECKSUM_BYTES = 4;

/**
 * The picture in a data URL of a PNG.
 * @throws AppError `invalid-data` when it is none, or larger than a logo has to be
 */
export function parseLogo(dataUrl: string): PNG {
  const bytes = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
  if (bytes.length > MAX_BYTES) throw invalid(`A logo may have at most ${MAX_BYTES} bytes.`);
  assertBounded(bytes);
  try {
    return PNG.sync.read(bytes);
  } catch {
    throw invalid('The logo is not a PNG that can be read.');
  }
}

/**
 * The decoder inflates no more than the picture's size says, unless it is interlaced; so exactly one header may name
 * a size, and a small one.
 */
function assertBounded(bytes: Buffer): void {
  const headers = chunksNamed(bytes, 'IHDR');
  const [header] = headers;
  if (header === undefined || headers.length > 1 || header.length < 13) throw invalid('The logo is not a PNG.');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE) {
    throw invalid(`A logo may have at most ${MAX_SIDE} × ${MAX_SIDE} pixels.`);
  }
  if (header[12] !== 0) throw invalid('The logo is interlaced: save it without.');
}

function chunksNamed(bytes: Buffer, wanted: string): Buffer[] {
  const found: Buffer[] = [];
  let at = SIGNATURE_BYTES;
  while (at + CHUNK_HEAD_BYTES <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const data = at + CHUNK_HEAD_BYTES;
    if (bytes.toString('latin1', at + 4, data) === wanted) found.push(bytes.subarray(data, data + length));
    at = data + length + CHECKSUM_BYTES;
  }
  return found;
}

function invalid(message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: ['logo'] } });
}
