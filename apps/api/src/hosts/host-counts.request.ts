import { MAX_COUNT, MAX_COUNT_LINES } from '@hopcount/contracts';
import { type CountMistake, type HostCount, normaliseHost, parseCountLines } from '@hopcount/hosts';
import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

const LONGEST_HOST = 2_048;

export const hostCountsRequest = z.strictObject({
  counts: z
    .array(
      z.strictObject({
        host: z.string().max(LONGEST_HOST).meta({ description: 'Or a web address, whose host counts.' }),
        visits: z.int().min(1).max(MAX_COUNT),
      }),
    )
    .min(1)
    .max(MAX_COUNT_LINES)
    .meta({ examples: [[{ host: 'discuss.leetcode.com', visits: 9_001 }]] }),
});

type HostCountsRequest = z.output<typeof hostCountsRequest>;

/**
 * All of the counts; a text is one of lines.
 * @throws AppError `invalid-data` with the lines (of JSON the places in the list, from 1) that are wrong
 */
export function readHostCounts(body: string | HostCountsRequest): HostCount[] {
  const read = typeof body === 'string' ? parseCountLines(body) : readList(body);
  if ('mistakes' in read) throw mistaken(read.mistakes);
  let sum = 0;
  for (const [index, { visits }] of read.counts.entries()) {
    sum += visits;
    if (sum > Number.MAX_SAFE_INTEGER) throw mistaken([{ line: index + 1, reason: 'count-out-of-range' }]);
  }
  return read.counts;
}

function readList({ counts }: HostCountsRequest): ReturnType<typeof parseCountLines> {
  const read: HostCount[] = [];
  const mistakes: CountMistake[] = [];
  for (const [index, { host: given, visits }] of counts.entries()) {
    const host = normaliseHost(given, { refuseCredentials: true });
    if ('refused' in host) mistakes.push({ line: index + 1, reason: host.refused });
    else read.push({ host, visits });
  }
  return mistakes.length === 0 ? { counts: read } : { mistakes: mistakes.slice(0, 100) };
}

function mistaken(mistakes: readonly CountMistake[]): AppError {
  const reasons = mistakes.map(({ line, reason }) => ({ field: line === 0 ? 'body' : `line ${line}`, reason }));
  const first = reasons[0]!;
  return new AppError('invalid-data', `Nothing was taken: ${first.field}: ${first.reason}.`, {
    details: { invalidElements: ['body'], reasons },
  });
}
