/**
 * An event id is a UUIDv7 (RFC 9562): 48 bits of epoch milliseconds, 4 version bits, 12 bits we use
 * as a counter, 2 variant bits, 62 random bits. Its time is the visit's `occurred_at`; its 62 random
 * bits feed the XOR checksums by which folds and buckets are compared.
 */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Lower-case canonical form only: the ledger key must have one spelling. */
export function isEventId(value: string): boolean {
  return UUID_V7.test(value);
}

/** Epoch milliseconds (UTC) in an event id; not a number where there is none. */
export function eventIdTimeMs(eventId: string): number {
  return readHex(eventId, 0, 8) * 0x1_0000 + readHex(eventId, 9, 13);
}

const HEX_VALUES = Float64Array.from({ length: 128 }, (_, code) => {
  const digit = String.fromCharCode(code);
  return /[0-9a-fA-F]/.test(digit) ? parseInt(digit, 16) : Number.NaN;
});

/** Some times an id on the path of every visit: slice() and parseInt() cost five times as much. */
function readHex(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 16 + (HEX_VALUES[text.charCodeAt(at)] ?? Number.NaN);
  return value;
}

/**
 * The 62 random bits as two unsigned 31-bit halves, so that XOR over many ids needs no BigInt.
 * Equal to `(hi << 31) | lo` of the last 62 bits of the id.
 */
export function eventIdChecksum(eventId: string): { hi: number; lo: number } {
  // 14 bits after the variant, then 48 bits: 62 in all, cut as 31 + 31.
  const top14 = readHex(eventId, 19, 23) & 0x3fff;
  const next17Source = readHex(eventId, 24, 29); // 20 bits: 17 for hi, 3 for lo
  const last28 = readHex(eventId, 29, 36);
  return { hi: top14 * 0x2_0000 + (next17Source >>> 3), lo: (next17Source & 0x7) * 0x1000_0000 + last28 };
}

/** The checksum as the decimal text of a PostgreSQL bigint (always non-negative, below 2^62). */
export function checksumText(hi: number, lo: number): string {
  return ((BigInt(hi) << 31n) | BigInt(lo)).toString();
}
