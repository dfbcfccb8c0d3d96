/** CRC-32C (Castagnoli), reflected, as in RFC 3720 appendix B.4: polynomial 0x1EDC6F41, bit-reversed. */
const REVERSED_POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

/**
 * Slicing by 8 (Kounavis and Berry, Intel 2006): table k gives the remainder of a byte that is
 * followed by k zero bytes, so eight bytes are taken in one step. Twice to three times the speed of
 * one byte at a time; every visit passes through here, in its Kafka batch or in the spool.
 */
const TABLES = makeTables();

function makeTables(): Int32Array[] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      remainder = remainder & 1 ? (remainder >>> 1) ^ REVERSED_POLYNOMIAL : remainder >>> 1;
    }
    return remainder;
  });
  const tables = [first];
  for (let slice = 1; slice < SLICES; slice += 1) {
    const previous = tables[slice - 1] as Int32Array;
    tables.push(previous.map((remainder) => (remainder >>> 8) ^ (first[remainder & 0xff] as number)));
  }
  return tables;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/** @param start checksum of the bytes before these, to go on from; 0 for none. */
export function crc32c(bytes: Uint8Array, start = 0): number {
  // Indices stay inside the arrays by construction; the assertions below only say so to the compiler.
  let remainder = ~start;
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    const low =
      remainder ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    remainder =
      (T7[low & 0xff] as number) ^
      (T6[(low >>> 8) & 0xff] as number) ^
      (T5[(low >>> 16) & 0xff] as number) ^
      (T4[low >>> 24] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number);
  }
  for (; at < bytes.length; at += 1) {
    remainder = (T0[(remainder ^ (bytes[at] as number)) & 0xff] as number) ^ (remainder >>> 8);
  }
  return ~remainder >>> 0;
}
