import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { crc32c } from './crc32c.js';

describe('crc32c', () => {
  // Check value of the catalogue of CRCs, and the vectors of RFC 3720, appendix B.4.
  it.each([
    [Buffer.from('123456789'), 0xe3069283],
    [Buffer.alloc(32), 0x8a9136aa],
    [Buffer.alloc(32, 0xff), 0x62a8ab43],
    [Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
    [Buffer.alloc(0), 0],
  ])('%#', (bytes, checksum) => {
    expect(crc32c(bytes)).toBe(checksum);
  });

  it('goes on where it stopped', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        expect(crc32c(b, crc32c(a))).toBe(crc32c(Buffer.concat([a, b])));
      }),
    );
  });

  it('sees every single changed byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, flip) => {
        const changed = Uint8Array.from(bytes);
        changed[at % bytes.length]! ^= flip;
        expect(crc32c(changed)).not.toBe(crc32c(bytes));
      }),
    );
  });
});
