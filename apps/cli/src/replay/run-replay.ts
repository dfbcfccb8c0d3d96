import type { KafkaAdmin, OffsetRange } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';

import { kafkaConnection } from '../connections.js';
import type { CliContext } from '../context.js';
import { VisitJudge } from '../verdicts/visit-judge.js';
import { badRange, countOffsets } from '../operator-actions/offset-ranges.js';
import { readLag } from '../lag/read-lag.js';
import { type ReplayParts, ReplayRun } from './replay-records.js';

export interface ReplayServices {
  context: CliContext;
  database: Database;
  admin: KafkaAdmin;
}

export interface ReplayRequest extends Omit<ReplayParts, 'judge' | 'readUpTo'> {
  ranges: readonly OffsetRange[];
  /** More records than this are refused: the ids of what is missing are kept in memory. */
  limit: number;
  onTaken?: (run: ReplayRun) => Promise<void>;
}

/** Reads the range once, from start to end. @throws AppError `bad-range` when it is longer than the limit */
export async function runReplay(services: ReplayServices, request: ReplayRequest): Promise<ReplayRun> {
  const { context, database } = services;
  const { readTopicRanges } = await import('@hopcount/kafka');
  const config = context.config();
  const total = countOffsets(request.ranges);
  if (total > BigInt(request.limit)) {
    throw badRange(`The range has ${total} records, more than --limit ${request.limit}: narrow it or raise the limit.`);
  }
  const run = new ReplayRun({
    ...request,
    judge: new VisitJudge(database, config),
    readUpTo: await readUpTo(services, request.topic),
  });
  await readTopicRanges(kafkaConnection(config), {
    topic: request.topic,
    ranges: request.ranges,
    onRecords: async (records) => {
      await run.take(records);
      context.terminal.progressOf(run.tally.records, total, 'records');
      await request.onTaken?.(run);
    },
  });
  return run;
}

/** The checkpoints are read before the ledger is asked: what is below one and not in the ledger is missing. */
async function readUpTo({ context, database, admin }: ReplayServices, topic: string) {
  const config = context.config();
  if (topic !== config.visitsTopic) return undefined;
  const lag = await readLag(database, admin, config);
  return new Map(lag.map(({ partition, logEnd, pending }) => [partition, logEnd - pending]));
}
