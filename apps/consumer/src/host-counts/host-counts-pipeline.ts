import { beyondLedger, decodeHostCounts, HOST_BATCH_DAYS, type HostCountsV1 } from '@hopcount/contracts';
import type { BatchContext, DeadLetter, DeadLetterWriter, HandleBatch, RecordBatch } from '@hopcount/kafka';
import type { FedCommit, HostBatchCommitter } from '@hopcount/ledger';
import { AppError, failpoint, isAppError, type Logger } from '@hopcount/runtime';

import type { OwnedPartitions } from '../assignment/owned-partitions.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import { createGuardBatch, type GuardBatchDeps } from '../guard/guard-batch.js';
import { createCommitBatch } from '../steps/commit-batch.js';
import { createDecodeBatch, type DecodedBatch } from './decode-batch.js';

interface HostCountsDeps extends Pick<GuardBatchDeps, 'attempts' | 'inHand'> {
  owned: OwnedPartitions;
  /** Says so when records between the checkpoint and a batch are gone. */
  noticeGap: (batch: RecordBatch) => Promise<void>;
  deadLetters: Pick<DeadLetterWriter, 'write'>;
  committer: Pick<HostBatchCommitter, 'commit' | 'findUnstorable'>;
  metrics: ConsumerMetrics;
  logger: Logger;
}

/** As visits: guard → decode → commit, dead letters before the commit that moves past them. Each batch counts once, by its row. */
export function createHostCountsPipeline(deps: HostCountsDeps): HandleBatch {
  const countBatch = createCountBatch(deps);
  const decodeBatch = createDecodeBatch(readHostCounts);
  const guardBatch = createGuardBatch({
    ...deps,
    count: (batch, context) => countBatch(decodeBatch(batch), context),
    putAside: (refused, batch, context) => countBatch({ batch, visits: [], refused }, context),
  });
  return async function hostCountsPipeline(batch, context) {
    await deps.noticeGap(batch);
    return guardBatch(batch, context);
  };
}

/** What is older than keys are kept might have been counted before. */
function readHostCounts(value: Buffer | null): ReturnType<typeof decodeHostCounts> {
  const decoded = decodeHostCounts(value);
  if (decoded.outcome === 'dead-letter') return decoded;
  const beyond = beyondLedger(decoded.visit.acceptedAt, Date.now(), HOST_BATCH_DAYS);
  return beyond === null ? decoded : { outcome: 'dead-letter', ...beyond };
}

function createCountBatch({ owned, deadLetters, committer, metrics, logger }: HostCountsDeps) {
  const commitBatch = createCommitBatch<readonly HostCountsV1[], HostCountsV1, FedCommit>({
    without: (items, some) => items.filter((item) => !some.has(item)),
    committer: {
      commit: ({ visits: items, ...advance }) => committer.commit({ ...advance, items }),
      findUnstorable: (items) => committer.findUnstorable(items),
    },
    metrics,
    logger,
  });
  const write = async (letters: DeadLetter[], isCurrent: () => boolean) => {
    await deadLetters.write(letters, isCurrent);
    for (const letter of letters) metrics.deadLettered.inc({ reason: letter.reason });
  };

  return async function countBatch(work: DecodedBatch, { isCurrent }: BatchContext): Promise<bigint> {
    failpoint('consumer.feed-after-poll');
    const { batch, refused } = work;
    const checkpoint = owned.get(batch.partition)?.checkpoint;
    if (checkpoint === undefined)
      throw new AppError('partition-not-owned', `Partition ${batch.partition} is not owned`);
    const last = batch.records.at(-1);
    const nextOffset = last === undefined ? checkpoint.nextOffset : last.offset + 1n;
    const onUnstorable = (bad: HostCountsV1[]) => write(lettersOf(work, new Set(bad), countBatch.name), isCurrent);
    try {
      await write(refused, isCurrent);
      const { checkpoint: next, ...outcomes } = await commitBatch(
        {
          ...{ checkpoint, nextOffset, lastRecordAtMs: last?.timestampMs ?? null },
          visits: work.visits.map(({ visit }) => visit),
        },
        { isCurrent, onUnstorable },
      );
      failpoint('consumer.feed-after-commit');
      owned.advance(next);
      for (const [outcome, batches] of Object.entries(outcomes)) metrics.hostBatches.inc({ outcome }, batches);
      return nextOffset;
    } catch (error) {
      if (isAppError(error, 'checkpoint-fenced')) {
        metrics.fenced.inc();
        owned.drop(checkpoint);
      }
      throw error;
    }
  };
}

function lettersOf({ batch, visits }: DecodedBatch, bad: ReadonlySet<HostCountsV1>, step: string) {
  const { topic, partition } = batch;
  return visits
    .filter(({ visit }) => bad.has(visit))
    .map(({ record }): DeadLetter => {
      const detail = 'PostgreSQL cannot hold a value of this batch';
      return { topic, partition, record, reason: 'unstorable', step, detail, attempts: 1 };
    });
}
