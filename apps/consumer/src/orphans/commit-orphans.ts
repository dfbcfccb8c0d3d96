import type { OrphanVisitV1 } from '@hopcount/contracts';
import type { BatchContext, DeadLetterWriter } from '@hopcount/kafka';
import { AppError, failpoint, isAppError } from '@hopcount/runtime';
import type { EnrichedOrphan, OrphanCommitResult } from '@hopcount/ledger';

import type { OwnedPartitions } from '../assignment/owned-partitions.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { createCommitBatch } from '../steps/commit-batch.js';
import type { DecodedBatch } from '../steps/commit-visits.js';
import { unstorableLetters } from '../steps/unstorable-letters.js';

export interface CommitOrphansDeps {
  owned: OwnedPartitions;
  deadLetters: Pick<DeadLetterWriter, 'write'>;
  enrichOrphan: (orphan: OrphanVisitV1) => EnrichedOrphan;
  commitBatch: ReturnType<typeof createCommitBatch<EnrichedOrphan, OrphanCommitResult>>;
  metrics: Pick<ConsumerMetrics, 'orphansCounted' | 'deadLettered' | 'fenced'>;
}

/**
 * As commitVisits, without Redis: there are too few orphan visits for marks to save work, and no link to
 * lock. Dead letters are acknowledged before the commit that moves the checkpoint past them.
 */
export function createCommitOrphans(deps: CommitOrphansDeps) {
  const { owned, metrics } = deps;
  return async function commitOrphans(work: DecodedBatch<OrphanVisitV1>, context: BatchContext): Promise<bigint> {
    const { batch } = work;
    const checkpoint = owned.get(batch.partition)?.checkpoint;
    if (checkpoint === undefined) {
      throw new AppError('partition-not-owned', `Partition ${batch.partition} is not owned yet`);
    }
    const last = batch.records.at(-1);
    const nextOffset = last === undefined ? checkpoint.nextOffset : last.offset + 1n;
    const isCurrent = () => context.isCurrent();
    const putAside = async (letters: Parameters<DeadLetterWriter['write']>[0]) => {
      await deps.deadLetters.write(letters, isCurrent);
      for (const letter of letters) metrics.deadLettered.inc({ reason: letter.reason });
    };
    const visits = work.visits.map(({ visit }) => deps.enrichOrphan(visit));
    try {
      await putAside(work.refused);
      const { checkpoint: advanced, inserted } = await deps.commitBatch(
        { checkpoint, nextOffset, lastRecordAtMs: last?.timestampMs ?? null, visits },
        { isCurrent, onUnstorable: (bad) => putAside(unstorableLetters(work, bad, commitOrphans.name)) },
      );
      failpoint('consumer.orphans-after-commit');
      owned.advance(advanced);
      metrics.orphansCounted.inc(inserted.length);
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
