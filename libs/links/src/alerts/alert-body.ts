import type { AlertChannel, AlertKind } from '@hopcount/contracts';
import { plural } from '@hopcount/runtime';

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

/** What waits of an e-mail, as JSON. */
export interface MailText {
  subject: string;
  text: string;
}

/** What is posted or sent. @param dashboardUrl for e-mail; undefined: nobody said where people reach it */
export function alertBody(channel: AlertChannel, news: AlertNews, now: Date, dashboardUrl?: string): string {
  if (channel === 'email') return mailBody(`Alert: ${news.name}`, mailLines(news, dashboardUrl));
  const text = sentence(news);
  if (channel === 'slack') return slackBody(text);
  const { id, name, kind, subject, of, windowStart, windowEnd, visits, usualVisits, threshold, factor } = news;
  const data = { id, name, kind, subject, of, windowStart, windowEnd, visits, usualVisits, threshold, factor, text };
  return JSON.stringify({ type: 'alert.triggered', timestamp: now.toISOString(), data });
}

export function alertTestBody(channel: AlertChannel, name: string, now: Date): string {
  if (channel === 'email') return mailBody(`Test: ${name}`, [`This is a test of the alert “${name}”. It works.`]);
  if (channel === 'slack') return slackBody(`Test of the alert “${name}”.`);
  return JSON.stringify({ type: 'webhook.test', timestamp: now.toISOString(), data: {} });
}

function mailBody(subject: string, lines: readonly string[]): string {
  return JSON.stringify({ subject, text: `${lines.join('\n')}\n` } satisfies MailText);
}

function mailLines(news: AlertNews, dashboardUrl: string | undefined): string[] {
  const { name, visits, usualVisits, windowStart, windowEnd, timeZone } = news;
  const [from, to] = [windowStart, windowEnd].map((at) => localTime(at, timeZone));
  return [
    `${nameOf(news)} had ${plural(visits, 'visit')} from ${from} to ${to} (${timeZone}).`,
    ...(usualVisits === null ? [] : [`Typical for this time: ${plural(Math.round(usualVisits), 'visit')}.`]),
    `The alert tells of ${condition(news)}.`,
    ...(dashboardUrl === undefined ? [] : ['', `Statistics: ${dashboardUrl}${pageOf(news)}`]),
    '',
    `Hopcount sends this because of the alert “${name}”.`,
    ...(dashboardUrl === undefined ? [] : [`Change or delete it: ${dashboardUrl}/alerts`]),
  ];
}

function condition({ kind, threshold, factor }: AlertNews): string {
  switch (kind) {
    case 'above':
      return `${plural(threshold, 'visit')} or more`;
    case 'below':
      return `fewer than ${plural(threshold, 'visit')}`;
    case 'rise':
      return `at least ${factor} times the typical number`;
    case 'drop':
      return `the typical number divided by ${factor}, or less`;
  }
}

/** Tags and groups may hold line breaks, which would look like lines of ours. */
function nameOf({ of }: AlertNews): string {
  return of === null ? 'All short URLs together' : of.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
}

/** The page of the dashboard that shows these visits. A link is written as its domain and its short code. */
function pageOf({ subject, of }: AlertNews): string {
  if (subject === 'host') return '/hosts';
  const [, domain, code] = (subject === 'link' ? /^([^/]+)\/([^]+)$/.exec(of ?? '') : null) ?? [];
  if (domain === undefined || code === undefined) return '/';
  return `/links/${encodeURIComponent(code)}?domain=${encodeURIComponent(domain)}`;
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
