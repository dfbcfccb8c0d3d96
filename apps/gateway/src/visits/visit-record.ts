import type { VisitEventV1 } from '@hopcount/contracts';
import { VISIT_V1_TYPE } from '@hopcount/contracts';

/** A Kafka record of text parts: what the publisher sends and the spool keeps, unchanged. */
export interface VisitRecord {
  key: string;
  value: string;
  headers: Record<string, string>;
  /** Left out: the topic of visits. */
  topic?: string;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * CloudEvents 1.0 binary mode. Without a valid incoming traceparent the trace is named after the
 * event id, whose 128 bits are unique: no further randomness, and the visit finds its own trace.
 */
export function visitRecord(visit: VisitEventV1, traceparent: string | undefined): VisitRecord {
  return {
    key: visit.eventId,
    value: JSON.stringify(visit),
    headers: {
      ce_id: visit.eventId,
      ce_source: `/gateway/${visit.source}`,
      ce_type: VISIT_V1_TYPE,
      ce_specversion: '1.0',
      ce_time: new Date(visit.occurredAt).toISOString(),
      'content-type': 'application/json',
      traceparent: traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : newTrace(visit.eventId),
    },
  };
}

function newTrace(eventId: string): string {
  const hex = eventId.replaceAll('-', '');
  return `00-${hex}-${hex.slice(16)}-01`;
}
