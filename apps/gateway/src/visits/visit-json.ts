import type { VisitEventV1 } from '@hopcount/contracts';

/** Text that is its own JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The same bytes as JSON.stringify(visit), whose fields stand in the schema's order, at a third of its price. */
export function visitJson(visit: VisitEventV1): string {
  const { host, route, clientHints, utm, signals } = visit;
  return (
    `{"version":${visit.version},"eventId":${text(visit.eventId)},"occurredAt":${visit.occurredAt}` +
    `,"linkId":${text(visit.linkId)},"domain":${text(visit.domain)},"code":${text(visit.code)}` +
    (host === undefined ? '' : `,"host":${text(host)}`) +
    `,"visitorId":${text(visit.visitorId)},"clientIp":${text(visit.clientIp)}` +
    `,"clientIpHash":${text(visit.clientIpHash)},"userAgent":${text(visit.userAgent)}` +
    `,"clientHints":${clientHints === null ? 'null' : JSON.stringify(clientHints)}` +
    `,"referrer":${text(visit.referrer)},"acceptLanguage":${text(visit.acceptLanguage)}` +
    `,"utm":${utm === null ? 'null' : JSON.stringify(utm)}` +
    `,"method":"${visit.method}","destination":${text(visit.destination)}` +
    (route === undefined ? '' : `,"route":${text(route)}`) +
    `,"groupId":${text(visit.groupId)}` +
    (visit.isFlood === undefined ? '' : `,"isFlood":${visit.isFlood}`) +
    `,"signals":{"purpose":${text(signals.purpose)},"doNotTrack":${signals.doNotTrack}}` +
    `,"truncated":${visit.truncated.length === 0 ? '[]' : JSON.stringify(visit.truncated)}` +
    `,"source":${text(visit.source)}}`
  );
}

function text(value: string | null): string {
  if (value === null) return 'null';
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}
