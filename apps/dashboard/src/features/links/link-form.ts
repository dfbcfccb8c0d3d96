import type { LinkEdit, NewLink, ShortUrl } from './links.js';

/** Fields as inputs have them: nothing is an empty text, times are local. */
export interface LinkForm {
  longUrl: string;
  title: string;
  tags: string[];
  groupId: string;
  validSince: string;
  validUntil: string;
  maxVisits: number | '';
  expiredUrl: string;
  note: string;
  disabled: boolean;
}

/** What is settled once there is the link. */
export interface NewLinkForm extends LinkForm {
  customSlug: string;
  domain: string;
}

export const EMPTY_FORM: NewLinkForm = {
  ...{ longUrl: '', title: '', tags: [], groupId: '', validSince: '', validUntil: '', maxVisits: '', expiredUrl: '' },
  ...{ note: '', disabled: false, customSlug: '', domain: '' },
};

export function toForm({ longUrl, title, tags, groupId, meta, expiredUrl, note, disabled }: ShortUrl): LinkForm {
  return {
    ...{ longUrl, tags, disabled, title: title ?? '', note: note ?? '', groupId: groupId ?? '' },
    validSince: toLocal(meta.validSince),
    validUntil: toLocal(meta.validUntil),
    maxVisits: meta.maxVisits ?? '',
    expiredUrl: expiredUrl ?? '',
  };
}

/** Only what was changed: what was not stays as exact as it was, to the second. */
export function changesOf(before: LinkForm, now: LinkForm): LinkEdit {
  const isChanged = (name: keyof LinkForm) => JSON.stringify(before[name]) !== JSON.stringify(now[name]);
  return {
    ...(isChanged('longUrl') && { longUrl: now.longUrl.trim() }),
    ...(isChanged('title') && { title: now.title.trim() || null }),
    ...(isChanged('tags') && { tags: now.tags }),
    ...(isChanged('groupId') && { groupId: now.groupId || null }),
    ...(isChanged('validSince') && { validSince: toInstant(now.validSince) }),
    ...(isChanged('validUntil') && { validUntil: toInstant(now.validUntil) }),
    ...(isChanged('maxVisits') && { maxVisits: now.maxVisits === '' ? null : now.maxVisits }),
    ...(isChanged('expiredUrl') && { expiredUrl: now.expiredUrl.trim() || null }),
    ...(isChanged('note') && { note: now.note.trim() || null }),
    ...(isChanged('disabled') && { disabled: now.disabled }),
  };
}

/** Without what was left empty. */
export function toNewLink({ customSlug, domain, ...form }: NewLinkForm): NewLink {
  return {
    ...changesOf(EMPTY_FORM, form),
    longUrl: form.longUrl.trim(),
    ...(customSlug.trim() !== '' && { customSlug: customSlug.trim() }),
    ...(domain !== '' && { domain }),
  };
}

/** In the zone of the browser, as `datetime-local` wants it. */
export function toLocal(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function toInstant(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString().replace(/\.\d+Z$/, '+00:00');
}
