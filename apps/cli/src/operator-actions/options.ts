import { type Command, InvalidArgumentError, Option } from 'commander';

import { wrongUsage } from '../cli.errors.js';

const MAX_RATE_PER_SECOND = 1_000_000;

export function executeOption(): Option {
  return new Option('--execute', 'do it; without this nothing is changed and the plan is printed').default(false);
}

export function rateOption(what = 'records'): Option {
  return new Option('--rate <n>', `at most so many ${what} a second (no limit unless given)`).argParser((text) =>
    parseWhole(text.replace(/\/s$/, ''), 1, MAX_RATE_PER_SECOND),
  );
}

export interface WaitOptions {
  wait: boolean;
  waitSeconds: number;
}

export function addWaitOptions(command: Command): Command {
  return command
    .option('--no-wait', 'do not wait until what was sent is counted, and do not check the count')
    .option('--wait-seconds <n>', 'longest wait', parseSeconds, 120);
}

/** null: do not wait. */
export function waitMsOf({ wait, waitSeconds }: WaitOptions): number | null {
  return wait ? waitSeconds * 1_000 : null;
}

export function limitOption(what: string, limit: number, max: number): Option {
  return new Option('--limit <n>', `how many ${what} at most (1 to ${max})`)
    .argParser((text) => parseWhole(text, 1, max))
    .default(limit);
}

export function parseWhole(text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
}

export function parseOffset(text: string): bigint {
  if (/^[0-9]{1,18}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError('Give an offset: a whole number, 0 or more.');
}

/** @throws AppError `wrong-usage` */
export function expectOffsetOrder(given: { fromOffset?: bigint | undefined; toOffset?: bigint | undefined }): void {
  const { fromOffset: from, toOffset: to } = given;
  if (from !== undefined && to !== undefined && to < from) throw wrongUsage(`Offset ${to} is before ${from}.`);
}

/** `3` or `0,4,7`. */
export function parsePartitions(text: string): number[] {
  return text.split(',').map((part) => parseWhole(part.trim(), 0, 100_000));
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError('Give a number of seconds above 0.');
}
