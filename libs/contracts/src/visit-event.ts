import { z } from 'zod';

import { type DecodedEvent, decodeVersion1 } from './decode-event.js';
import { isEventId } from './event-id.js';
import { isPlainVisit } from './plain-visit.js';
import { TEXT_LIMITS } from './text-limits.js';

const text = (limit: number) => z.string().max(limit);
const nullableText = (limit: number) => text(limit).nullable();

/**
 * `visit.v1`: one redirect answered. Made once at the gateway; the schema is never edited after
 * release (a change is a new version beside it), and the golden samples decode for ever. A record has the id for its key
 * and no headers, but for the `traceparent` a request brought.
 *
 * Compatibility: a field that older consumers may do without is added to v1, optional; they pass over it
 * and count the visit, and Kafka keeps its bytes. Whatever changes or takes away a field is a new
 * `version`, which consumers learn before gateways write it; one that does not know it puts the visit
 * aside (`unsupported-version`), and `hopcount dead-letters redrive` after the upgrade counts it once.
 */
export const visitEventV1Schema = z.object({
  version: z.literal(1),
  /** UUIDv7; Kafka key and ledger key. */
  eventId: z.string().refine(isEventId, 'not a lower-case UUIDv7'),
  /** Epoch milliseconds UTC; always the time inside `eventId`. */
  occurredAt: z.int().nonnegative(),
  /** Snowflake as decimal text: 64 bits do not fit a JavaScript number. */
  linkId: z.string().regex(/^[1-9][0-9]{0,18}$/),
  domain: text(TEXT_LIMITS.domain),
  code: text(TEXT_LIMITS.code),
  /** The host that was asked, as the Host header says it. Absent: `domain`. */
  host: text(TEXT_LIMITS.domain).optional(),
  /** Opaque; null when the visitor opted out (DNT, GPC). */
  visitorId: nullableText(64),
  /** Anonymised (IPv4 /24, IPv6 /48) unless VISITOR_IP=full; null when unknown. */
  clientIp: nullableText(45),
  /** 16 hex digits of a keyed hash of the whole address; null when opted out or unknown. */
  clientIpHash: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullable(),
  userAgent: nullableText(TEXT_LIMITS.userAgent),
  clientHints: z
    .object({
      brands: nullableText(TEXT_LIMITS.clientHint),
      mobile: nullableText(TEXT_LIMITS.clientHint),
      platform: nullableText(TEXT_LIMITS.clientHint),
    })
    .nullable(),
  referrer: nullableText(TEXT_LIMITS.referrer),
  acceptLanguage: nullableText(TEXT_LIMITS.acceptLanguage),
  /** Of the visitor's query; without one there, of the address they were sent to or the link's own. No value is blank. */
  utm: z
    .object({
      source: nullableText(TEXT_LIMITS.utm),
      medium: nullableText(TEXT_LIMITS.utm),
      campaign: nullableText(TEXT_LIMITS.utm),
      term: nullableText(TEXT_LIMITS.utm),
      content: nullableText(TEXT_LIMITS.utm),
    })
    .nullable(),
  method: z.literal('GET'),
  destination: text(TEXT_LIMITS.destination),
  /** What decided it: `rule:1` (from 1), `split:2`, `expired` or `pixel` (then it is empty). Absent: the link's long URL. */
  route: text(TEXT_LIMITS.route).optional(),
  /** Only if the gateway knew it; never trusted for counting. */
  groupId: z.string().nullable(),
  /** The gateway saw this client follow this link more often than anybody does. Absent: it did not. */
  isFlood: z.literal(true).optional(),
  /** What the client asked for: prefetch headers as sent, DNT and GPC. */
  signals: z.object({ purpose: nullableText(TEXT_LIMITS.purpose), doNotTrack: z.boolean() }),
  /** Names of the fields that were cut to their limit. */
  truncated: z.array(z.string()),
  /** The gateway process (one name per process life), for reconciliation. */
  source: text(TEXT_LIMITS.source),
});

export type VisitEventV1 = z.infer<typeof visitEventV1Schema>;

/** What gateways of this version write, and what its consumers can read: `hopcount upgrade check` holds them against those that run. */
export const VISIT_VERSION_WRITTEN = 1;
export const VISIT_VERSIONS_READ: readonly number[] = [1];

export type DecodedVisit = DecodedEvent<VisitEventV1>;

/** Bytes of a Kafka value → a visit, or why it is not one. Never throws. */
export function decodeVisitEvent(value: Buffer | null): DecodedVisit {
  return decodeVersion1(visitEventV1Schema, value, isPlainVisit);
}
