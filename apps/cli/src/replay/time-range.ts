import { readMoment } from '@hopcount/contracts';
import { InvalidArgumentError } from 'commander';

import { wrongUsage } from '../cli.errors.js';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An instant as RFC 3339 with an offset; epoch milliseconds. */
export function parseInstant(text: string): number {
  const moment = readMoment(text);
  if (moment?.kind === 'instant') return moment.atMs;
  throw new InvalidArgumentError('Give an existing instant with an offset, e.g. 2026-11-21T10:00:00Z.');
}

/** Options `--from` and `--to`. @throws AppError `wrong-usage` */
export function expectOrder({ from, to }: { from?: number | undefined; to?: number | undefined }): void {
  if (from !== undefined && to !== undefined && to < from) throw wrongUsage('--to is before --from: exchange them.');
}

/** `90s`, `15m`, `2h`, `1d` as milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  if (unitMs === undefined) throw new InvalidArgumentError('Give a duration, e.g. 15m, 2h or 1d.');
  return Number(count) * unitMs;
}
