import { z } from 'zod';

import { TEXT_LIMITS } from './text-limits.js';

export const MINUTE_MS = 60_000;

/** End of the year 9999: beyond it ISO 8601 needs more digits. */
const LAST_MS = 253_402_300_799_999;
const count = z.int().nonnegative();

/**
 * `source-audit.v1`: what one gateway process says of the visits whose event ids lie in one UTC
 * minute. Cumulative: a later record of the same process and minute has a higher sequence and
 * replaces the earlier one. Like a visit's, the schema is never edited after release.
 */
export const sourceAuditV1Schema = z.object({
  version: z.literal(1),
  /** As in the visits: one name per process life, which ends in `@` and the version of the gateway. */
  source: z
    .string()
    .max(TEXT_LIMITS.source)
    .regex(/^[!-~]+$/),
  /** Epoch milliseconds UTC of the minute's start. */
  minute: count.max(LAST_MS).refine((ms) => ms % MINUTE_MS === 0, 'not the start of a minute'),
  sequence: z.int32().positive(),
  /** Visits made durable (acknowledged by Kafka or fsynced in the spool), each once. */
  visits: count,
  /** XOR of the 62 random bits of their event ids, as decimal text. */
  checksum: z
    .string()
    .regex(/^[0-9]{1,19}$/)
    .refine((text) => BigInt(text) < 2n ** 62n, 'more than 62 bits'),
  /** Redirects answered although neither Kafka nor the disk took the visit. */
  answered: count,
  /** Requests refused for that reason: no redirect, no visit. */
  refused: count,
  /** Of `answered` and `refused`: sent to Kafka without an answer, or to a disk that failed, so perhaps counted all the same. */
  inDoubt: count,
  /** The process has ended in good order and has reported every minute it had visits in. */
  final: z.boolean(),
});

export type SourceAuditV1 = z.infer<typeof sourceAuditV1Schema>;

/** Before the version at the end of a source's name; gateways before 0.1.0+ have none there. */
export const VERSION_MARK = '@';

/** Which version of the gateway a visit or a report is of; undefined: one that did not say so yet. */
export function sourceVersion(source: string): string | undefined {
  const at = source.lastIndexOf(VERSION_MARK);
  return at === -1 ? undefined : source.slice(at + 1);
}

/** Bytes of a Kafka value → an audit record; undefined when it is none. Never throws. */
export function decodeSourceAudit(value: Buffer | null): SourceAuditV1 | undefined {
  if (value === null) return undefined;
  try {
    return sourceAuditV1Schema.safeParse(JSON.parse(value.toString('utf8'))).data;
  } catch {
    // No JSON: the caller logs it with its offset.
    return undefined;
  }
}
