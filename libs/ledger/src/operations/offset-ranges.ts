import { AppError } from '@hopcount/runtime';
import type { OffsetRange } from '@hopcount/kafka';

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

export function countOffsets(ranges: readonly OffsetRange[]): bigint {
  return ranges.reduce((sum, range) => sum + range.to - range.from, 0n);
}

export function badRange(message: string): AppError {
  return new AppError('bad-range', message);
}
