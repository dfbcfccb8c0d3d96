import { InvalidArgumentError } from 'commander';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An instant as RFC 3339 with an offset; epoch milliseconds. */
export function parseInstant(text: string): number {
  const ms = Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(Z|[+-]\d{2}:\d{2})$/.test(text) && Number.isFinite(ms)) return ms;
  throw new InvalidArgumentError('Give an instant with an offset, e.g. 2026-11-21T10:00:00Z.');
}

/** `90s`, `15m`, `2h`, `1d` as milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  if (unitMs === undefined) throw new InvalidArgumentError('Give a duration, e.g. 15m, 2h or 1d.');
  return Number(count) * unitMs;
}
