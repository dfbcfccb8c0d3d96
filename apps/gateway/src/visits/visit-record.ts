import type { OrphanVisitV1 } from '@hopcount/contracts';

import { describeVisit, type VisitFacts } from './describe-visit.js';

/** A Kafka record of text parts: what the publisher sends and the spool keeps, unchanged. */
export interface VisitRecord {
  /** The event id: also the name of a visit's own trace, whose 128 bits are unique. */
  key: string;
  value: string;
  headers: Readonly<Record<string, string>>;
  /** Left out: the topic of visits. */
  topic?: string;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
export const NO_HEADERS: VisitRecord['headers'] = Object.freeze({});

export function visitRecord(facts: VisitFacts, traceparent: string | undefined): VisitRecord {
  return { key: facts.eventId, value: describeVisit(facts), headers: headersWith(traceparent) };
}

export function orphanRecord(orphan: OrphanVisitV1, traceparent: string | undefined): VisitRecord {
  return { key: orphan.eventId, value: JSON.stringify(orphan), headers: headersWith(traceparent) };
}

/** All else is in the body, or follows from the key: headers were a third of a record. */
function headersWith(traceparent: string | undefined): VisitRecord['headers'] {
  return traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : NO_HEADERS;
}
