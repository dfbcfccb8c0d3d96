/** CRC-32C (Castagnoli), reflected, as in RFC 3720 appendix B.4: polynomial 0x1EDC6F41, bit-reversed. */
const REVERSED_POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ REVERSED_POLYNOMIAL : remainder >>> 1;
  }
  return remainder >>> 0;
});

/** @param start checksum of the bytes before these, to go on from; 0 for none. */
export function crc32c(bytes: Uint8Array, start = 0): number {
  let remainder = ~start;
  // By index: iterating a Buffer costs several times as much.
  for (let i = 0; i < bytes.length; i += 1) {
    remainder = (TABLE[(remainder ^ (bytes[i] as number)) & 0xff] as number) ^ (remainder >>> 8);
  }
  return ~remainder >>> 0;
}
