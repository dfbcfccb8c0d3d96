import { formText } from '../../features/session/form-text.js';
import type { Alert, AlertChange, Channel, NewAlert } from './alerts.js';

export type Kind = Alert['kind'];
export const KINDS = ['drop', 'rise', 'below', 'above'] as const satisfies readonly Kind[];

export const SUBJECTS = ['all', 'link', 'tag', 'group', 'domain', 'host'] as const;
export type Subject = (typeof SUBJECTS)[number];
/** What a user whose roles are all in groups may watch. */
export const SUBJECTS_OF_GROUPS = ['group', 'link'] as const satisfies readonly Subject[];

export const HOST_KINDS = ['target', 'referrer', 'short', 'fed'] as const;
/** The windows that are offered, in minutes; the api takes any quarter of an hour. */
export const WINDOWS = [15, 30, 60, 180, 360, 720, 1_440, 10_080];

/** What a new alert begins with: a third of the usual visits of an hour, where those are so many that it is not chance. */
export const DEFAULTS = { kind: 'drop', windowMinutes: 60, threshold: 50, factor: 3 } as const;

export function isCompared(kind: Kind): boolean {
  return kind === 'rise' || kind === 'drop';
}

export function subjectOf({ shortCode, tag, group, domain, host }: Alert): Subject {
  if (shortCode !== null) return 'link';
  if (tag !== null) return 'tag';
  if (group !== null) return 'group';
  if (domain !== null) return 'domain';
  return host === null ? 'all' : 'host';
}

/** A short code, or a whole short URL, which says its domain as well. */
export function toLink(text: string): { shortCode: string; domain?: string } {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  const code = url?.pathname.slice(1) ?? '';
  return url === null || code === '' ? { shortCode: text } : { shortCode: decoded(code), domain: url.host };
}

function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    // Its % begins no character: then it is as it stands there.
    return code;
  }
}

export function toNewAlert(form: FormData, zone: string): NewAlert {
  const kind = KINDS.find((one) => one === fieldOf(form, 'kind')) ?? DEFAULTS.kind;
  const channel = (['webhook', 'slack', 'email'] as const).find((one) => one === fieldOf(form, 'channel')) ?? 'webhook';
  const subject = SUBJECTS.find((one) => one === fieldOf(form, 'subject')) ?? 'all';
  return {
    ...{ name: fieldOf(form, 'name'), kind, channel, timeZone: zone },
    ...toWatched(subject, form),
    ...toNumbers(form, kind),
    ...toReceiver(form, channel),
  };
}

export function toChange(form: FormData, { kind, channel }: Alert): AlertChange {
  return { name: fieldOf(form, 'name'), ...toNumbers(form, kind), ...toReceiver(form, channel) };
}

const fieldOf = (form: FormData, name: string) => formText(form, name).trim();

function toWatched(subject: Subject, form: FormData) {
  const value = fieldOf(form, 'value');
  switch (subject) {
    case 'all':
      return {};
    case 'link':
      return toLink(value);
    case 'host':
      return { host: value, hostKind: HOST_KINDS.find((one) => one === fieldOf(form, 'hostKind')) ?? 'target' };
    case 'tag':
    case 'group':
    case 'domain':
      return { [subject]: value };
  }
}

function toNumbers(form: FormData, kind: Kind) {
  return {
    windowMinutes: Number(fieldOf(form, 'windowMinutes')),
    threshold: Number(fieldOf(form, 'threshold')),
    ...(isCompared(kind) && { factor: Number(fieldOf(form, 'factor')) }),
  };
}

/** An address that was left empty is that of the account. */
function toReceiver(form: FormData, channel: Channel) {
  if (channel !== 'email') return { url: fieldOf(form, 'url') };
  const email = fieldOf(form, 'email');
  return email === '' ? {} : { email };
}
