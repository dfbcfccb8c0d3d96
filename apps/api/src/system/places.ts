import type { TopicOffset } from '@hopcount/kafka';
import { AppError } from '@hopcount/runtime';

/** Of a letter in its topic. */
export interface Place {
  partition: number;
  offset: bigint;
}

/** By partition: letters below are meant. */
export type Positions = ReadonlyMap<number, bigint>;

export const PLACE = /^([0-9]{1,6})@([0-9]{1,15})$/;

/** @throws AppError `invalid-data` */
export function parsePlace(text: string, field = 'place'): Place {
  const [, partition, offset] = PLACE.exec(text) ?? [];
  if (partition === undefined || offset === undefined)
    throw invalid(field, 'Give partition@offset, as the list has it.');
  return { partition: Number(partition), offset: BigInt(offset) };
}

export function toCursor(positions: Positions): string {
  return [...positions].map(([partition, offset]) => `${partition}@${offset}`).join('~');
}

/** @throws AppError `invalid-data` */
export function fromCursor(text: string): Positions {
  return new Map(
    text.split('~').map((part) => {
      const { partition, offset } = parsePlace(part, 'after');
      return [partition, offset];
    }),
  );
}

/** Up to where each log is meant; partitions that the position does not know are meant whole. */
export function positionsBefore(logs: readonly TopicOffset[], before: Positions | null) {
  return logs.map(({ partition, low, high }) => {
    const end = before?.get(partition) ?? high;
    return { partition, low, end: end < low ? low : end > high ? high : end };
  });
}

export function olderThan(end: bigint, count: bigint, low: bigint): bigint {
  return end - count > low ? end - count : low;
}

export function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
