import { RANGE_PRESETS, readMoment, type RangePreset } from '@hopcount/contracts';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { wrongUsage } from '../cli.errors.js';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An instant as RFC 3339 with an offset; epoch milliseconds. */
export function parseInstant(text: string): number {
  const moment = readMoment(text);
  if (moment?.kind === 'instant') return moment.atMs;
  throw new InvalidArgumentError('Give an existing instant with an offset, e.g. 2026-11-21T10:00:00Z.');
}

/** Start and end of what a command is about, or a word in their place. */
export interface TimeRange {
  /** Epoch milliseconds. */
  from?: number;
  to?: number;
  range?: RangePreset;
  timeZone: string;
}

export function addTimeRange(command: Command, { from = 'at or after', to = 'before' } = {}): Command {
  const timeZone = new Option('--time-zone <zone>', 'of --range: an IANA name').argParser(parseZone).default('UTC');
  return command
    .addOption(new Option('--from <instant>', from).argParser(parseInstant))
    .addOption(new Option('--to <instant>', to).argParser(parseInstant))
    .addOption(presetOption('from', 'to'))
    .addOption(timeZone);
}

/** The API's and the dashboard's words. @param dates the options that it stands for */
export function presetOption(...dates: string[]): Option {
  const names = dates.map((name) => `--${name}`).join(' and ');
  return new Option('--range <word>', `whole days, instead of ${names}`).choices(RANGE_PRESETS).conflicts(dates);
}

/** @throws AppError `wrong-usage` */
export async function boundsOf({ from, to, range, timeZone }: TimeRange): Promise<{ from?: number; to?: number }> {
  expectOrder({ from, to });
  if (range === undefined) return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const { presetRange } = await import('@hopcount/statistics');
  return { ...presetRange({ range }, timeZone, Date.now()) };
}

/** @throws AppError `wrong-usage` */
export function expectOrder({ from, to }: { from?: number | undefined; to?: number | undefined }): void {
  if (from !== undefined && to !== undefined && to < from) throw wrongUsage('--to is before --from: exchange them.');
}

export function parseZone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new InvalidArgumentError('Give an IANA time zone, e.g. Europe/Berlin.');
  }
}

/** `90s`, `15m`, `2h`, `1d` as milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  if (unitMs === undefined) throw new InvalidArgumentError('Give a duration, e.g. 15m, 2h or 1d.');
  return Number(count) * unitMs;
}
