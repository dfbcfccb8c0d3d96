/**
 * Names of attributes, here only: OpenTelemetry's conventions of messaging are not final and have changed before.
 * Nothing here tells who a visitor is: no address, no agent, no query string.
 */
export const TRACE = {
  eventId: 'hopcount.event.id',
  durability: 'hopcount.visit.durability',
  linkAnswer: 'hopcount.link.answer',
  batchTrace: 'hopcount.batch.trace_id',
  method: 'http.request.method',
  status: 'http.response.status_code',
  messaging: 'messaging.system',
  topic: 'messaging.destination.name',
  partition: 'messaging.destination.partition.id',
  offset: 'messaging.kafka.offset',
  messages: 'messaging.batch.message_count',
} as const;

export type TraceAttributes = Partial<Record<(typeof TRACE)[keyof typeof TRACE], string | number>>;
