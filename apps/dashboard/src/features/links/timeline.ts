import type { ShortUrl } from './links.js';

interface Moment {
  name: 'created' | 'validSince' | 'now' | 'validUntil';
  atMs: number;
  isPast: boolean;
}

/** When a link came, begins, ends, and where between them it is now. */
export function momentsOf({ dateCreated, meta }: Pick<ShortUrl, 'dateCreated' | 'meta'>, nowMs: number): Moment[] {
  const dates = [
    ['created', dateCreated],
    ['validSince', meta.validSince],
    ['validUntil', meta.validUntil],
  ] as const;
  const moments = dates.flatMap(([name, date]) => (date === null ? [] : [{ name, atMs: Date.parse(date) }]));
  return [...moments, { name: 'now' as const, atMs: nowMs }]
    .sort((one, other) => one.atMs - other.atMs)
    .map((moment) => ({ ...moment, isPast: moment.atMs <= nowMs }));
}
