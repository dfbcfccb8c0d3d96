import type { KafkaAdmin, OffsetRange } from '@hopcount/kafka';
import { type Command, Option } from 'commander';

import { noSuchTopic, wrongUsage } from '../cli.errors.js';
import { expectOffsetOrder, parseOffset, parsePartitions } from '../operator-actions/options.js';
import { addTimeRange, boundsOf, expectOrder, parseDuration, type TimeRange } from './time-range.js';

/** Which records of a topic; bounded on purpose. */
export interface ReplayRange extends Partial<TimeRange> {
  partition?: number[];
  fromOffset?: bigint;
  toOffset?: bigint;
  /** Milliseconds; as from, to and range by the broker's time of the records. */
  last?: number;
  wholeLog: boolean;
}

export function addRangeOptions(command: Command): Command {
  return addTimeRange(command, { from: 'records published from then on', to: 'records published before then' })
    .addOption(new Option('--partition <n>', 'only these partitions, e.g. 0,2').argParser(parsePartitions))
    .addOption(new Option('--from-offset <n>', 'first offset').argParser(parseOffset))
    .addOption(new Option('--to-offset <n>', 'offset after the last').argParser(parseOffset))
    .addOption(new Option('--last <duration>', 'records of the last 15m, 2h, 1d').argParser(parseDuration))
    .addOption(new Option('--whole-log', 'all the topic has').default(false));
}

/** @throws AppError `wrong-usage`: nothing bounds the range, or its bounds contradict each other */
export function checkRange({ fromOffset, toOffset, from, to, last, range, wholeLog }: ReplayRange): void {
  const isBounded = [fromOffset, toOffset, from, to, last, range].some((bound) => bound !== undefined);
  if (!wholeLog && !isBounded) {
    throw wrongUsage('Name a range: --last, --range, --from and --to, --from-offset and --to-offset, or --whole-log.');
  }
  if (wholeLog && isBounded) throw wrongUsage('--whole-log goes with no other bound.');
  if (last !== undefined && (from ?? to ?? range) !== undefined) {
    throw wrongUsage('--last goes with none of --from, --to and --range.');
  }
  expectOrder({ from, to });
  expectOffsetOrder({ fromOffset, toOffset });
}

/** @throws AppError `no-such-topic`, `bad-range`: the topic does not have it */
export async function resolveRange(
  admin: KafkaAdmin,
  topic: string,
  range: ReplayRange,
  nowMs = Date.now(),
): Promise<OffsetRange[]> {
  if (!(await admin.topicNames()).includes(topic)) throw noSuchTopic(topic);
  const { rangesBetween } = await import('@hopcount/ledger');
  const { partition: partitions, fromOffset: from, toOffset: to, last } = range;
  const bounds = await boundsOf({ timeZone: 'UTC', ...range });
  const fromMs = last === undefined ? bounds.from : nowMs - last;
  return rangesBetween(admin, topic, { partitions, from, to, fromMs, toMs: bounds.to });
}
