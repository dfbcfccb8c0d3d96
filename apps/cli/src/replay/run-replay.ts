import type { OffsetRange } from '@hopcount/kafka';

import { kafkaConnection, type Services } from '../connections.js';
import { type ReplayParts, ReplayRun } from './replay-records.js';

export interface ReplayRequest extends Omit<ReplayParts, 'expected' | 'judge' | 'readUpTo'> {
  ranges: readonly OffsetRange[];
  /** More records than this are refused: the ids of what is missing are kept in memory. */
  limit: number;
  onTaken?: (run: ReplayRun) => Promise<void>;
}

/** Reads the range once, from start to end. @throws AppError `bad-range` when it is longer than the limit */
export async function runReplay(services: Services, request: ReplayRequest): Promise<ReplayRun> {
  const { config, terminal, database } = services;
  const { readTopicRanges } = await import('@hopcount/kafka');
  const { badRange, countOffsets, ExpectedCount, VisitJudge } = await import('@hopcount/ledger');
  const total = countOffsets(request.ranges);
  if (total > BigInt(request.limit)) {
    throw badRange(`The range has ${total} records, more than --limit ${request.limit}: narrow it or raise the limit.`);
  }
  const run = new ReplayRun({
    ...request,
    expected: new ExpectedCount(),
    judge: new VisitJudge(database, config),
    readUpTo: await readUpTo(services, request.topic),
  });
  const progress = terminal.startProgress('records', total);
  await readTopicRanges(kafkaConnection(config), {
    topic: request.topic,
    ranges: request.ranges,
    onRecords: async (records) => {
      await run.take(records);
      progress.at(run.tally.records);
      await request.onTaken?.(run);
    },
  });
  progress.end();
  return run;
}

/** The checkpoints are read before the ledger is asked: what is below one and not in the ledger is missing. */
async function readUpTo(services: Services, topic: string) {
  if (topic !== services.config.visitsTopic) return undefined;
  const { readLag } = await import('@hopcount/ledger');
  const lag = await readLag(services);
  return new Map(lag.map(({ partition, logEnd, pending }) => [partition, logEnd - pending]));
}
