import { gzipSync } from 'node:zlib';

import { expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';

import { boundDecompression, MOST_UNZIPPED_BYTES } from './bound-decompression.js';

it('a batch of records is unzipped only up to a size that the process can hold', async () => {
  boundDecompression();
  // As kafkajs does when it reads a batch.
  const codec = kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP]() as {
    decompress: (bytes: Buffer) => Promise<Buffer>;
  };
  const records = Buffer.alloc(1_024, 'record');
  expect(await codec.decompress(gzipSync(records))).toEqual(records);
  const bomb = gzipSync(Buffer.alloc(MOST_UNZIPPED_BYTES + 1));
  expect(bomb.length).toBeLessThan(100_000);
  await expect(codec.decompress(bomb)).rejects.toMatchObject({ code: 'ERR_BUFFER_TOO_LARGE' });
});
