import { z } from 'zod';

import { type DecodedEvent, decodeVersion1 } from './decode-event.js';
import { isEventId } from './event-id.js';
import { TEXT_LIMITS } from './text-limits.js';

/**
 * What was asked for when no link was: the domain itself, a code that is none (unknown, deleted, not
 * valid now), or an address no code can have (Shlink's names); then a link that is blocked or leads to
 * where nobody may be sent; last, a link that answered with a page to get past, and not with its target. The position in this list is the number stored in PostgreSQL: append only,
 * never reorder.
 */
export const ORPHAN_VISIT_TYPES = ['base_url', 'invalid_short_url', 'regular_404', 'blocked', 'held_back'] as const;
export type OrphanVisitType = (typeof ORPHAN_VISIT_TYPES)[number];

export function orphanVisitTypeNumber(type: OrphanVisitType): number {
  return ORPHAN_VISIT_TYPES.indexOf(type);
}

export function orphanVisitTypeFromNumber(value: number): OrphanVisitType {
  const type = ORPHAN_VISIT_TYPES[value];
  if (type === undefined) throw new RangeError(`no type of orphan visit has the number ${value}`);
  return type;
}

/** Of links that are there: no part of lists and sums, unless they are asked for by name. They are the last ones. */
export const ORPHAN_TYPES_WITH_LINK = ['blocked', 'held_back'] as const satisfies readonly OrphanVisitType[];

/** Longest path kept, in UTF-16 code units. */
export const ORPHAN_PATH_LIMIT = 512;

const nullableText = (limit: number) => z.string().max(limit).nullable();

/**
 * `orphan-visit.v1`: one GET that was not sent on because no link was meant, none is there, it is blocked or it asked for a password. Made once
 * at the gateway; like a visit's, the schema is never edited after release.
 */
export const orphanVisitV1Schema = z.object({
  version: z.literal(1),
  /** UUIDv7; Kafka key and key of the table. */
  eventId: z.string().refine(isEventId, 'not a lower-case UUIDv7'),
  /** Epoch milliseconds UTC; always the time inside `eventId`. */
  occurredAt: z.int().nonnegative(),
  type: z.enum(ORPHAN_VISIT_TYPES),
  /** As the client named it, normalised: it need not be one of ours. */
  domain: z.string().max(TEXT_LIMITS.domain),
  /** As sent, without the query string, which may hold what is nobody's business; empty when it was no path. */
  path: z.string().max(ORPHAN_PATH_LIMIT),
  /** Anonymised (IPv4 /24, IPv6 /48) unless VISITOR_IP=full; null when unknown. */
  clientIp: nullableText(45),
  /** 16 hex digits of a keyed hash of the whole address; null when opted out or unknown. */
  clientIpHash: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullable(),
  userAgent: nullableText(TEXT_LIMITS.userAgent),
  referrer: nullableText(TEXT_LIMITS.referrer),
  signals: z.object({ purpose: nullableText(TEXT_LIMITS.purpose), doNotTrack: z.boolean() }),
  /** Names of the fields that were cut to their limit. */
  truncated: z.array(z.string()),
  /** The gateway process, one name per process life. */
  source: z.string().max(TEXT_LIMITS.source),
});

export type OrphanVisitV1 = z.infer<typeof orphanVisitV1Schema>;

/** Bytes of a Kafka value → an orphan visit, or why it is not one. Never throws. */
export function decodeOrphanVisit(value: Buffer | null): DecodedEvent<OrphanVisitV1> {
  return decodeVersion1(orphanVisitV1Schema, value);
}
