import type { KafkaAdmin, OffsetRange } from '@hopcount/kafka';
import { type Command, Option } from 'commander';

import { badRange, chooseRanges } from '../operate/offset-ranges.js';
import { parseOffset, parsePartitions } from '../operate/options.js';
import { parseDuration, parseInstant } from './time-range.js';

/** Which records of a topic; bounded on purpose. */
export interface ReplayRange {
  partition?: number[];
  fromOffset?: bigint;
  toOffset?: bigint;
  /** Broker's time of the records, epoch milliseconds. */
  from?: number;
  to?: number;
  last?: number;
  wholeLog: boolean;
}

export function addRangeOptions(command: Command): Command {
  return command
    .addOption(new Option('--partition <n>', 'only these partitions, e.g. 0,2').argParser(parsePartitions))
    .addOption(new Option('--from-offset <n>', 'first offset').argParser(parseOffset))
    .addOption(new Option('--to-offset <n>', 'offset after the last').argParser(parseOffset))
    .addOption(new Option('--from <instant>', 'records published from then on').argParser(parseInstant))
    .addOption(new Option('--to <instant>', 'records published before then').argParser(parseInstant))
    .addOption(new Option('--last <duration>', 'records of the last 15m, 2h, 1d').argParser(parseDuration))
    .addOption(new Option('--whole-log', 'all the topic has').default(false));
}

/** @throws AppError `bad-range`: nothing bounds the range, or it cannot be */
export async function resolveRange(
  admin: KafkaAdmin,
  topic: string,
  range: ReplayRange,
  nowMs = Date.now(),
): Promise<OffsetRange[]> {
  const bounds = [range.fromOffset, range.toOffset, range.from, range.to, range.last];
  if (!range.wholeLog && bounds.every((bound) => bound === undefined)) {
    throw badRange('Name a range: --last, --from and --to, --from-offset and --to-offset, or --whole-log.');
  }
  if (!(await admin.topicNames()).includes(topic)) throw badRange(`There is no topic ${topic}.`);
  const logs = await admin.topicOffsets(topic);
  const { partition: partitions, fromOffset: from, toOffset: to } = range;
  const ranges = chooseRanges(logs, { partitions, from, to });
  const sinceMs = range.last === undefined ? range.from : nowMs - range.last;
  const starts = sinceMs === undefined ? undefined : await admin.offsetsAt(topic, sinceMs);
  const ends = range.to === undefined ? undefined : await admin.offsetsAt(topic, range.to);
  return ranges.map((one) => narrow(one, starts?.get(one.partition), ends?.get(one.partition)));
}

function narrow(range: OffsetRange, start: bigint | undefined, end: bigint | undefined): OffsetRange {
  const to = end !== undefined && end < range.to ? end : range.to;
  const from = start !== undefined && start > range.from ? start : range.from;
  return { partition: range.partition, from: from < to ? from : to, to };
}
