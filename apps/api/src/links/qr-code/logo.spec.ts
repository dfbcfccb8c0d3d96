import { crc32, deflateSync } from 'node:zlib';

import { inUnclearedMemory } from '@hopcount/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PNG } from 'pngjs';

import { drawPng } from './draw-png.js';
import { drawSvg } from './draw-svg.js';
import { parseLogo } from './logo.js';
import { qrCodeQuery } from './qr-code.request.js';
import { QrDrawing } from './qr-drawing.js';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const FORMATS = [
  ...[1, 2, 4, 8, 16].map((depth) => ({ colourType: 0, samples: 1, depth })),
  ...[8, 16].map((depth) => ({ colourType: 2, samples: 3, depth })),
  ...[1, 2, 4, 8].map((depth) => ({ colourType: 3, samples: 1, depth })),
  ...[8, 16].map((depth) => ({ colourType: 4, samples: 2, depth })),
  ...[8, 16].map((depth) => ({ colourType: 6, samples: 4, depth })),
];

interface Picture {
  width: number;
  height: number;
  format: (typeof FORMATS)[number];
  /** Bytes of its rows, without filters. */
  bytes: Buffer;
  palette: Buffer;
}

const picture: fc.Arbitrary<Picture> = fc
  .record({
    width: fc.integer({ min: 1, max: 20 }),
    height: fc.integer({ min: 1, max: 20 }),
    format: fc.constantFrom(...FORMATS),
  })
  .chain(({ width, height, format }) => {
    const size = rowBytes({ width, format }) * height;
    return fc.record({
      ...{ width: fc.constant(width), height: fc.constant(height), format: fc.constant(format) },
      bytes: fc.uint8Array({ minLength: size, maxLength: size }).map((array) => Buffer.from(array)),
      palette: fc.uint8Array({ minLength: 768, maxLength: 768 }).map((array) => Buffer.from(array)),
    });
  });

function rowBytes({ width, format }: Pick<Picture, 'width' | 'format'>): number {
  return Math.ceil((width * format.samples * format.depth) / 8);
}

function rowsOf(given: Picture): Buffer {
  const size = rowBytes(given);
  const rows = Array.from({ length: given.height }, (_, y) => given.bytes.subarray(y * size, (y + 1) * size));
  return Buffer.concat(rows.flatMap((row) => [Buffer.alloc(1), row]));
}

function chunk(name: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(name, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), 8 + data.length);
  return bytes;
}

function header({ width, height, format }: Picture): Buffer {
  const data = Buffer.from([0, 0, 0, width, 0, 0, 0, height, format.depth, format.colourType, 0, 0, 0]);
  return chunk('IHDR', data);
}

function paletteOf({ format, palette }: Picture): Buffer[] {
  return format.colourType === 3 ? [chunk('PLTE', palette.subarray(0, 3 << format.depth))] : [];
}

function encode(given: Picture, packed = deflateSync(rowsOf(given)), palette = paletteOf(given)): Buffer {
  return Buffer.concat([SIGNATURE, header(given), ...palette, chunk('IDAT', packed), chunk('IEND')]);
}

/** Read sample by sample, as the format is described. */
function pixelsOf(given: Picture): Buffer {
  const { width, height, palette } = given;
  const { colourType, samples, depth } = given.format;
  const sampleAt = (x: number, y: number, channel: number) => {
    const bit = (x * samples + channel) * depth;
    const at = y * rowBytes(given) + (bit >> 3);
    if (depth === 16) return given.bytes.readUInt16BE(at);
    return (given.bytes.readUInt8(at) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
  };
  const full = 2 ** depth - 1;
  const pixels: number[] = [];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const values = Array.from({ length: samples }, (_, channel) => sampleAt(x, y, channel));
      if (colourType === 3) pixels.push(...palette.subarray(3 * Number(values[0])).subarray(0, 3), 255);
      else {
        const [first = 0, second = full, third = 0, alpha = full] = values.map((value) =>
          Math.round((value * 255) / full),
        );
        pixels.push(...(samples < 3 ? [first, first, first, samples === 1 ? 255 : second] : [first, second, third]));
        if (samples >= 3) pixels.push(samples === 3 ? 255 : alpha);
      }
    }
  }
  return Buffer.from(pixels);
}

const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;

/** What a key that may read links would be sent: the pixels of the logo, and both drawings with it. */
async function answers(bytes: Buffer, byte: number) {
  return inUnclearedMemory(byte, async () => {
    const logo = parseLogo(dataUrl(bytes));
    const drawing = new QrDrawing('https://s.test/a', qrCodeQuery.parse({ size: '60' }), logo);
    return { pixels: Buffer.from(logo.data), svg: await drawSvg(drawing), png: await drawPng(drawing) };
  });
}

const REFUSED = { code: 'invalid-data', details: { invalidElements: ['logo'] } };

/** Refused, in both cases; the memory does not decide about it. */
async function expectRefused(bytes: Buffer): Promise<void> {
  for (const byte of [0, 0xab]) await expect(answers(bytes, byte)).rejects.toMatchObject(REFUSED);
}

describe('the pixels of a logo', () => {
  it('are those of the file in every colour type and depth, whatever memory held before', () =>
    fc.assert(
      fc.asyncProperty(picture, async (given) => {
        const [one, other] = [await answers(encode(given), 0), await answers(encode(given), 0xab)];
        expect(one.pixels.equals(pixelsOf(given))).toBe(true);
        expect([other.svg, other.png.equals(one.png), other.pixels.equals(one.pixels)]).toEqual([one.svg, true, true]);
      }),
    ));

  it('are never fewer or more than the header promises', () =>
    fc.assert(
      fc.asyncProperty(picture, fc.double({ min: 0, max: 0.999, noNaN: true }), async (given, part) => {
        const rows = rowsOf(given);
        const packed = deflateSync(rows);
        await expectRefused(encode(given, deflateSync(rows.subarray(0, Math.floor(rows.length * part)))));
        await expectRefused(encode(given, packed.subarray(0, Math.floor(packed.length * part))));
        await expectRefused(encode(given, deflateSync(Buffer.concat([rows, Buffer.alloc(1)]))));
        await expectRefused(encode(given, Buffer.concat([packed, Buffer.alloc(1)])));
      }),
    ));

  it('do not depend on memory, whatever byte of the file is changed', () =>
    fc.assert(
      fc.asyncProperty(
        picture,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (given, at, flip, inPixels) => {
          const damage = <Bytes extends Buffer>(bytes: Bytes): Bytes => {
            bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ flip;
            return bytes;
          };
          const bytes = inPixels ? encode(given, damage(deflateSync(rowsOf(given)))) : damage(encode(given));
          const read = (byte: number) => answers(bytes, byte).catch((error: unknown) => error);
          const [one, other] = [await read(0), await read(0xab)];
          if (one instanceof Error) expect([one, other]).toMatchObject([REFUSED, REFUSED]);
          else expect(other).toEqual(one);
        },
      ),
      { numRuns: 120 },
    ));

  const given: Picture = {
    ...{ width: 9, height: 5, format: { colourType: 3, samples: 1, depth: 4 } },
    ...{ bytes: Buffer.alloc(25, 0x2f), palette: Buffer.alloc(48, 0x77) },
  };
  const rows = deflateSync(rowsOf(given));
  const file = (...chunks: Buffer[]) => Buffer.concat([SIGNATURE, header(given), ...chunks, chunk('IEND')]);
  const palette = Buffer.concat(paletteOf(given));
  const pixels = chunk('IDAT', rows);
  const badFilter = Buffer.from(rowsOf(given)).fill(5, 0, 1);

  it.each([
    ['no pixel data', file(palette)],
    ['empty pixel data', file(palette, chunk('IDAT'))],
    ['no palette', file(pixels)],
    ['a palette without the colour of a pixel', file(chunk('PLTE', given.palette.subarray(0, 9)), pixels)],
    ['more transparent colours than colours', file(palette, chunk('tRNS', Buffer.alloc(17)), pixels)],
    ['a palette after the pixels of a stream that is cut short', file(chunk('IDAT', rows.subarray(0, 9)), palette)],
    ['an unknown filter', file(palette, chunk('IDAT', deflateSync(badFilter)))],
    [
      'a stream that asks for a dictionary',
      file(palette, chunk('IDAT', deflateSync(rowsOf(given), { dictionary: rows }))),
    ],
    [
      'an unknown colour type',
      Buffer.concat([
        SIGNATURE,
        header({ ...given, format: { ...given.format, colourType: 5 } }),
        pixels,
        chunk('IEND'),
      ]),
    ],
    [
      'a depth its colour type does not have',
      encode({ ...given, format: { colourType: 6, samples: 4, depth: 4 } }, rows, []),
    ],
    ['a wrong checksum', Buffer.from(file(palette, pixels)).fill(0, 29, 33)],
    ['no end', file(palette, pixels).subarray(0, -12)],
    ['a chunk longer than the file', file(palette, pixels).subarray(0, -1)],
    [
      'one grey value without its second byte',
      encode({ ...given, format: { colourType: 0, samples: 1, depth: 4 } }, rows, [chunk('tRNS', Buffer.alloc(1))]),
    ],
  ])('are refused with %s', (_, bytes) => expectRefused(bytes));

  it('may come in pieces, with colours that are transparent', () => {
    const pieces = [chunk('IDAT', rows.subarray(0, 3)), chunk('IDAT'), chunk('IDAT', rows.subarray(3))];
    const bytes = file(chunk('tEXt', Buffer.from('a\0b')), palette, chunk('tRNS', Buffer.from([9, 9, 0])), ...pieces);
    const logo = parseLogo(dataUrl(bytes));
    expect([...logo.data.subarray(0, 8)]).toEqual([0x77, 0x77, 0x77, 0, 0x77, 0x77, 0x77, 0xff]);
    expect(PNG.sync.read(PNG.sync.write(logo)).data.equals(logo.data)).toBe(true);
  });
});
