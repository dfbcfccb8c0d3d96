import { eventIdTimeMs } from '@hopcount/contracts';
import { crc32c } from '@hopcount/runtime';

import type { VisitRecord } from '../visit-record.js';

/**
 * A segment file is a header of 8 bytes and then records:
 *
 *   header  "HCSPOOL" 0x01 (format version)
 *   record  marker  4 bytes  C3 48 56 0A: no UTF-8 text contains them in this order
 *           length  u32 LE   of the payload
 *           crc     u32 LE   CRC-32C over length and payload
 *           payload          JSON [key, value, headers], and the topic when it is not that of visits
 *
 * The marker lets a reader find the next record behind damage, whatever the damaged length says;
 * the checksum covers the length, so a run of zeros (what a crash may leave) is no empty record.
 */
export const SEGMENT_HEADER = Buffer.from('HCSPOOL\x01', 'latin1');
const MARKER = Buffer.from([0xc3, 0x48, 0x56, 0x0a]);
const RECORD_HEADER_BYTES = MARKER.length + 8;
/** A visit is at most some 40 KB (every text at its limit, all escaped). */
export const MAX_PAYLOAD_BYTES = 1_024 * 1_024;

export function encodeRecord(record: VisitRecord): Buffer {
  const { key, value, headers, topic } = record;
  const text = JSON.stringify(topic === undefined ? [key, value, headers] : [key, value, headers, topic]);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.alloc(RECORD_HEADER_BYTES + length);
  MARKER.copy(bytes);
  bytes.writeUInt32LE(length, 4);
  bytes.write(text, RECORD_HEADER_BYTES, 'utf8');
  bytes.writeUInt32LE(checksum(bytes, 0, length), 8);
  return bytes;
}

function checksum(bytes: Buffer, offset: number, length: number): number {
  const payloadStart = offset + RECORD_HEADER_BYTES;
  const ofLength = crc32c(bytes.subarray(offset + 4, offset + 8));
  return crc32c(bytes.subarray(payloadStart, payloadStart + length), ofLength);
}

/** A run of bytes that is no record. `tail`: nothing readable follows, as a crash in a write leaves it. */
export interface DamagedRange {
  from: number;
  to: number;
  tail: boolean;
}

export interface ScannedSegment {
  records: VisitRecord[];
  damaged: DamagedRange[];
}

/** Every record that can be read, in order, and every byte range that cannot. Never throws. */
export function scanSegment(bytes: Buffer): ScannedSegment {
  const records: VisitRecord[] = [];
  const damaged: DamagedRange[] = [];
  const hasHeader = bytes.subarray(0, SEGMENT_HEADER.length).equals(SEGMENT_HEADER);
  let at = hasHeader ? SEGMENT_HEADER.length : 0;
  while (at < bytes.length) {
    const found = readRecord(bytes, at);
    if (found !== undefined) {
      records.push(found.record);
      at = found.end;
      continue;
    }
    const next = nextReadable(bytes, at + 1);
    damaged.push({ from: at, to: next ?? bytes.length, tail: next === undefined });
    at = next ?? bytes.length;
  }
  return { records, damaged };
}

/** Records by their markers (not verified), and the first one: what a gauge needs of an adopted segment. */
export function countRecords(bytes: Buffer): { count: number; first: VisitRecord | undefined } {
  let count = 0;
  for (let at = bytes.indexOf(MARKER); at !== -1; at = bytes.indexOf(MARKER, at + MARKER.length)) count += 1;
  return { count, first: readRecord(bytes, SEGMENT_HEADER.length)?.record };
}

/** When its event happened; now, for a record that is no event. */
export function timeOf(record: VisitRecord): number {
  const timeMs = eventIdTimeMs(record.key);
  return Number.isFinite(timeMs) ? timeMs : Date.now();
}

function readRecord(bytes: Buffer, offset: number): { record: VisitRecord; end: number } | undefined {
  const payloadStart = offset + RECORD_HEADER_BYTES;
  if (payloadStart > bytes.length || bytes.compare(MARKER, 0, 4, offset, offset + 4) !== 0) return undefined;
  const length = bytes.readUInt32LE(offset + 4);
  const end = payloadStart + length;
  if (length > MAX_PAYLOAD_BYTES || end > bytes.length) return undefined;
  if (bytes.readUInt32LE(offset + 8) !== checksum(bytes, offset, length)) return undefined;
  try {
    const [key, value, headers, topic] = JSON.parse(bytes.toString('utf8', payloadStart, end)) as [
      string,
      string,
      Record<string, string>,
      string?,
    ];
    return { record: topic === undefined ? { key, value, headers } : { key, value, headers, topic }, end };
  } catch {
    // No record: the caller reports the bytes as damage.
    return undefined;
  }
}

function nextReadable(bytes: Buffer, from: number): number | undefined {
  for (let at = bytes.indexOf(MARKER, from); at !== -1; at = bytes.indexOf(MARKER, at + 1)) {
    if (readRecord(bytes, at) !== undefined) return at;
  }
  return undefined;
}
