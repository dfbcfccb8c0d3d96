import { AppError } from '@hopcount/runtime';
import type { KafkaAdmin, OffsetRange } from '@hopcount/kafka';

/** Which part of a topic: everything it holds now unless told otherwise. */
export interface RangeSelection {
  partitions?: readonly number[] | undefined;
  /** First offset, inclusive. */
  from?: bigint | undefined;
  /** Offset after the last one. */
  to?: bigint | undefined;
}

/**
 * The chosen part of a log that ends now: what is written while a command runs is not part of it, so
 * that a command which writes to the topic it reads comes to an end.
 * @throws AppError `bad-range`: a partition the topic does not have, or an end before the start
 */
export function chooseRanges(
  logs: readonly { partition: number; low: bigint; high: bigint }[],
  selection: RangeSelection,
): OffsetRange[] {
  const { partitions, from, to } = selection;
  if (from !== undefined && to !== undefined && to < from) throw badRange(`Offset ${to} is before ${from}.`);
  const known = new Set(logs.map((log) => log.partition));
  const unknown = (partitions ?? []).filter((partition) => !known.has(partition));
  if (unknown.length > 0) throw badRange(`The topic has no partition ${unknown.join(', ')}.`);
  return logs
    .filter((log) => partitions === undefined || partitions.includes(log.partition))
    .map(({ partition, low, high }) => {
      const end = to !== undefined && to < high ? to : high;
      const start = from !== undefined && from > low ? from : low;
      return { partition, from: start < end ? start : end, to: end };
    });
}

/** The chosen part, narrowed to what was appended from one time on and before another. @throws AppError `bad-range` */
export async function rangesBetween(
  admin: Pick<KafkaAdmin, 'topicOffsets' | 'offsetsAt'>,
  topic: string,
  { fromMs, toMs, ...selection }: RangeSelection & { fromMs?: number | undefined; toMs?: number | undefined },
): Promise<OffsetRange[]> {
  const ranges = chooseRanges(await admin.topicOffsets(topic), selection);
  const starts = fromMs === undefined ? undefined : await admin.offsetsAt(topic, fromMs);
  const ends = toMs === undefined ? undefined : await admin.offsetsAt(topic, toMs);
  return ranges.map((one) => narrow(one, starts?.get(one.partition), ends?.get(one.partition)));
}

function narrow(range: OffsetRange, start: bigint | undefined, end: bigint | undefined): OffsetRange {
  const to = end !== undefined && end < range.to ? end : range.to;
  const from = start !== undefined && start > range.from ? start : range.from;
  return { partition: range.partition, from: from < to ? from : to, to };
}

/** As JSON holds it: it has no whole numbers of that size. */
export interface OffsetRangeText {
  partition: number;
  from: string;
  to: string;
}

export function rangeToText({ partition, from, to }: OffsetRange): OffsetRangeText {
  return { partition, from: from.toString(), to: to.toString() };
}

export function rangeFromText({ partition, from, to }: OffsetRangeText): OffsetRange {
  return { partition, from: BigInt(from), to: BigInt(to) };
}

export function countOffsets(ranges: readonly OffsetRange[]): bigint {
  return ranges.reduce((sum, range) => sum + range.to - range.from, 0n);
}

export function badRange(message: string): AppError {
  return new AppError('bad-range', message);
}
