import type { AlertChannel, AlertKind } from '@hopcount/contracts';

/** A window that met the condition of an alert. */
export interface AlertNews {
  id: number;
  name: string;
  kind: AlertKind;
  subject: string;
  /** What is watched, as a person reads it; null: all short URLs. */
  of: string | null;
  windowStart: Date;
  windowEnd: Date;
  visits: number;
  /** null: of `above` and `below`. */
  usualVisits: number | null;
  threshold: number;
  factor: number | null;
  timeZone: string;
}

/** What is posted. */
export function alertBody(channel: AlertChannel, news: AlertNews, now: Date): string {
  const text = sentence(news);
  if (channel === 'slack') return slackBody(text);
  const { id, name, kind, subject, of, windowStart, windowEnd, visits, usualVisits, threshold, factor } = news;
  const data = { id, name, kind, subject, of, windowStart, windowEnd, visits, usualVisits, threshold, factor, text };
  return JSON.stringify({ type: 'alert.triggered', timestamp: now.toISOString(), data });
}

export function alertTestBody(channel: AlertChannel, name: string, now: Date): string {
  if (channel === 'slack') return slackBody(`Test of the alert “${name}”.`);
  return JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: {} });
}

/** Slack reads these three characters as the begin of links and mentions. */
function slackBody(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify({ text: escaped });
}

function sentence({ name, of, visits, usualVisits, windowStart, windowEnd, timeZone }: AlertNews): string {
  const [from, to] = [windowStart, windowEnd].map((at) => localTime(at, timeZone));
  const usual = usualVisits === null ? '' : `, typically ${Math.round(usualVisits)}`;
  return `${name}: ${of ?? 'all short URLs'} had ${visits} visits${usual} (${from} to ${to}, ${timeZone}).`;
}

function localTime(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: 'minute' }).replace('T', ' ');
}
