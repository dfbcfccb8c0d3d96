import type { LinkEdit, ShortUrl } from './links.js';

/** Fields as inputs have them: nothing is an empty text, times are local. */
export interface LinkForm {
  longUrl: string;
  title: string;
  tags: string[];
  validSince: string;
  validUntil: string;
  maxVisits: number | '';
  note: string;
  disabled: boolean;
}

export function toForm({ longUrl, title, tags, meta, note, disabled }: ShortUrl): LinkForm {
  return {
    ...{ longUrl, tags, disabled, title: title ?? '', note: note ?? '' },
    validSince: toLocal(meta.validSince),
    validUntil: toLocal(meta.validUntil),
    maxVisits: meta.maxVisits ?? '',
  };
}

/** Only what was changed: what was not stays as exact as it was, to the second. */
export function changesOf(before: LinkForm, now: LinkForm): LinkEdit {
  const isChanged = (name: keyof LinkForm) => JSON.stringify(before[name]) !== JSON.stringify(now[name]);
  return {
    ...(isChanged('longUrl') && { longUrl: now.longUrl.trim() }),
    ...(isChanged('title') && { title: now.title.trim() || null }),
    ...(isChanged('tags') && { tags: now.tags }),
    ...(isChanged('validSince') && { validSince: toInstant(now.validSince) }),
    ...(isChanged('validUntil') && { validUntil: toInstant(now.validUntil) }),
    ...(isChanged('maxVisits') && { maxVisits: now.maxVisits === '' ? null : now.maxVisits }),
    ...(isChanged('note') && { note: now.note.trim() || null }),
    ...(isChanged('disabled') && { disabled: now.disabled }),
  };
}

/** In the zone of the browser, as `datetime-local` wants it. */
function toLocal(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

function toInstant(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString().replace(/\.\d+Z$/, '+00:00');
}
