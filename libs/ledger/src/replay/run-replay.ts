import type { KafkaAdmin, KafkaConnection, OffsetRange } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';
import { failpoint, type ShowsProgress } from '@hopcount/runtime';

import { readLag } from '../lag/read-lag.js';
import { badRange, countOffsets } from '../operations/offset-ranges.js';
import { withSender } from '../resend/with-sender.js';
import { checkCountChange } from '../verdicts/check-count-change.js';
import { ExpectedCount } from '../verdicts/expected-count.js';
import { VisitJudge } from '../verdicts/visit-judge.js';
import { type ReplayParts, ReplayRun } from './replay-run.js';

export interface ReplayServices {
  config: { visitsTopic: string; hostCountsTopic: string; consumerGroup: string; ledgerDays: number };
  connection: KafkaConnection;
  database: Database;
  admin: Pick<KafkaAdmin, 'topicOffsets' | 'groupOffsets'>;
  shown: ShowsProgress;
}

export interface ReplayRequest extends Omit<ReplayParts, 'expected' | 'judge' | 'readUpTo'> {
  ranges: readonly OffsetRange[];
  /** More records than this are refused: the ids of what is missing are kept in memory. */
  limit: number;
  onTaken?: (run: ReplayRun) => Promise<void>;
}

/** Reads the range once, from start to end. @throws AppError `bad-range` when it is longer than the limit */
export async function runReplay(services: ReplayServices, request: ReplayRequest): Promise<ReplayRun> {
  const { config, database, connection, shown } = services;
  const { readTopicRanges } = await import('@hopcount/kafka');
  const total = countOffsets(request.ranges);
  if (total > BigInt(request.limit)) {
    throw badRange(
      `The range has ${total} records, more than the limit of ${request.limit} (--limit): choose a shorter one.`,
    );
  }
  const run = new ReplayRun({
    ...request,
    expected: new ExpectedCount(),
    judge: new VisitJudge(database, config),
    readUpTo: await readUpTo(services, request.topic),
  });
  const progress = shown.startProgress('records', total);
  await readTopicRanges(connection, {
    topic: request.topic,
    ranges: request.ranges,
    onRecords: async (records) => {
      await run.take(records);
      failpoint('replay-records-taken');
      progress.at(run.tally.records);
      await request.onTaken?.(run);
    },
  });
  progress.end();
  return run;
}

/** The checkpoints are read before the ledger is asked: what is below one and not in the ledger is missing. */
async function readUpTo(services: ReplayServices, topic: string) {
  if (topic !== services.config.visitsTopic) return undefined;
  const lag = await readLag(services);
  return new Map(lag.map(({ partition, logEnd, pending }) => [partition, logEnd - pending]));
}

export interface SendRequest extends Omit<ReplayRequest, 'sender'> {
  actionId: string;
  /** How long to wait until what was sent is counted; null: do not wait, and do not hold the count against the expected one. */
  waitMs: number | null;
  /** Aborted, nothing more is sent. */
  signal?: AbortSignal | undefined;
}

/**
 * Sends what is missing of a range to the visits topic, waits until it is counted and holds the change against the expected one.
 * Killed anywhere, it is run again over the same range: what is counted by now is not missing any more, and what was sent and is
 * not counted yet is sent twice, which the ledger's key counts once.
 */
export function sendMissing(services: ReplayServices, request: SendRequest) {
  const { config, connection } = services;
  const { actionId, waitMs, ratePerSecond, signal } = request;
  return withSender({ connection, config, actionId, ratePerSecond, signal }, async (sender) => {
    const run = await runReplay(services, { ...request, sender });
    return checkCountChange(services, { expected: run.expected, counts: countsOf(run), waitMs });
  });
}

export function countsOf(run: ReplayRun): Record<string, number> {
  const refused = [...run.refusedBy].map(([reason, count]) => [`refused: ${reason}`, count]);
  return { ...run.tally, ...(Object.fromEntries(refused) as Record<string, number>) };
}
