import { promisify } from 'node:util';
import { unzip } from 'node:zlib';

import kafkajs from 'kafkajs';

const unzipped = promisify(unzip);

/** Of one batch of records. Ours are not compressed; a topic that others write has batches of some MB at most. */
export const MOST_UNZIPPED_BYTES = 64 * 1_024 * 1_024;

interface Codec {
  compress: (encoder: unknown) => Promise<Buffer>;
  decompress: (bytes: Buffer) => Promise<Buffer>;
}

let isBounded = false;

/**
 * From now on no client of this process unzips more than that of a batch. kafkajs has no limit: 2 MB that a broker hands over can be 2 GB, and
 * the process that dies of them reads them again after its start. The reading of such a batch fails instead.
 */
export function boundDecompression(): void {
  if (isBounded) return;
  const codecs = kafkajs.CompressionCodecs as Record<number, () => Codec>;
  const original = codecs[kafkajs.CompressionTypes.GZIP]!();
  const bounded: Codec = {
    compress: (encoder) => original.compress(encoder),
    decompress: (bytes) => unzipped(bytes, { maxOutputLength: MOST_UNZIPPED_BYTES }),
  };
  codecs[kafkajs.CompressionTypes.GZIP] = () => bounded;
  isBounded = true;
}
