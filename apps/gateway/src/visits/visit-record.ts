import { ORPHAN_VISIT_V1_TYPE, type OrphanVisitV1, VISIT_V1_TYPE, type VisitEventV1 } from '@hopcount/contracts';

import { visitJson } from './visit-json.js';

/** A Kafka record of text parts: what the publisher sends and the spool keeps, unchanged. */
export interface VisitRecord {
  key: string;
  value: string;
  headers: Record<string, string>;
  /** Left out: the topic of visits. */
  topic?: string;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

interface Event {
  eventId: string;
  occurredAt: number;
  source: string;
}

export function visitRecord(visit: VisitEventV1, traceparent: string | undefined): VisitRecord {
  return eventRecord(visit, visitJson(visit), VISIT_V1_TYPE, traceparent);
}

export function orphanRecord(orphan: OrphanVisitV1, traceparent: string | undefined): VisitRecord {
  return eventRecord(orphan, JSON.stringify(orphan), ORPHAN_VISIT_V1_TYPE, traceparent);
}

/**
 * CloudEvents 1.0 binary mode. Without a valid incoming traceparent the trace is named after the
 * event id, whose 128 bits are unique: no further randomness, and the visit finds its own trace.
 */
function eventRecord(event: Event, value: string, type: string, traceparent: string | undefined): VisitRecord {
  return {
    key: event.eventId,
    value,
    headers: {
      ce_id: event.eventId,
      ce_source: `/gateway/${event.source}`,
      ce_type: type,
      ce_specversion: '1.0',
      ce_time: new Date(event.occurredAt).toISOString(),
      'content-type': 'application/json',
      traceparent: traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : newTrace(event.eventId),
    },
  };
}

function newTrace(eventId: string): string {
  const hex = eventId.replaceAll('-', '');
  return `00-${hex}-${hex.slice(16)}-01`;
}
