import { gzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { plainBytes } from './plain-bytes.js';

const MAX = 1_024 * 1_024;

async function* inPieces(bytes: Buffer, size: number, onEnd = () => undefined as void): AsyncGenerator<Buffer> {
  try {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  } finally {
    onEnd();
  }
}

async function read(bytes: Buffer, size: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of plainBytes(inPieces(bytes, size), MAX)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('bytes of a file', () => {
  const parts = fc.array(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    { minLength: 1, maxLength: 3 },
  );
  const size = fc.integer({ min: 1, max: 60 });

  it('are the same compressed and not, in one part or several, however they come', async () => {
    await fc.assert(
      fc.asyncProperty(parts, size, async (plain, piece) => {
        const whole = Buffer.concat(plain);
        expect(await read(Buffer.concat(plain.map((part) => gzipSync(part))), piece)).toEqual(whole);
        if (whole[0] !== 0x1f) expect(await read(whole, piece)).toEqual(whole);
      }),
    );
  });

  const packed = gzipSync(Buffer.from('longUrl\nhttps://example.com/\n'));
  const flipped = Buffer.from(packed);
  flipped[packed.length - 6]! ^= 1;

  it.each([
    ['flipped in the checksum', flipped],
    ['followed by text', Buffer.concat([packed, Buffer.from('https://example.com/b\n')])],
    ['followed by zeros and text', Buffer.concat([packed, Buffer.alloc(64), Buffer.from('https://example.com/b\n')])],
    ...[2, 9, 10, 20, packed.length - 8, packed.length - 1].map(
      (length) => [`cut after ${length} bytes`, packed.subarray(0, length)] as [string, Buffer],
    ),
  ])('that are gzip %s are refused', async (_, bytes) => {
    for (const piece of [1, 7, 1_000])
      await expect(read(bytes, piece)).rejects.toMatchObject({
        code: 'unreadable-file',
        message: expect.stringMatching(/damaged or incomplete.*gunzip/) as unknown,
      });
  });

  it.each([
    ['unpacks to more than the limit', gzipSync(Buffer.alloc(64 * MAX))],
    ['has more than the limit of empty parts', Buffer.concat(new Array<Buffer>(60_000).fill(gzipSync('')))],
    ['has more than the limit, not compressed', Buffer.alloc(MAX + 1, 'x')],
  ])('end at the limit when the file %s', async (_, bytes) => {
    let hasEnded = false;
    let size = 0;
    const take = async () => {
      const file = inPieces(bytes, 65_536, () => (hasEnded = true));
      for await (const piece of plainBytes(file, MAX)) size += piece.length;
    };
    await expect(take()).rejects.toMatchObject({ code: 'import-too-large' });
    expect(size).toBeLessThanOrEqual(MAX);
    expect(hasEnded).toBe(true);
  });
});
