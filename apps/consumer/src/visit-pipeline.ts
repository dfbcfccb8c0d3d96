import type { BatchContext, RecordBatch } from '@hopcount/kafka';
import {
  type CommitResult,
  type EnrichedVisit,
  type VisitCommitter,
  type VisitSource,
  visitsInHand,
} from '@hopcount/ledger';

import { createGuardBatch, type GuardBatchDeps } from './guard/guard-batch.js';
import { createCommitBatch } from './steps/commit-batch.js';
import { type CommitVisitsDeps, createCommitVisits } from './steps/commit-visits.js';
import type { BatchTraces } from './tracing/batch-traces.js';

export interface VisitPipelineDeps extends Omit<CommitVisitsDeps, 'commitBatch'> {
  /** Says so when records between the checkpoint and a batch are gone. */
  noticeGap: (batch: RecordBatch) => Promise<void>;
  attempts: GuardBatchDeps['attempts'];
  inHand: GuardBatchDeps['inHand'];
  committer: Pick<VisitCommitter, 'commitPrepared' | 'findUnstorable'>;
  /** Undefined: nothing is traced. */
  traces?: BatchTraces | undefined;
}

/**
 * Every step of a batch, in order: is anything before it gone → has it killed before → bytes → visits → what is known of each
 * (`prepare`, mostly in a thread of its own) → counted.
 */
export function createVisitPipeline(deps: VisitPipelineDeps) {
  const commitVisits = createCommitVisits({ ...deps, commitBatch: tracedCommit(deps) });
  const guardBatch = createGuardBatch({
    ...deps,
    count: commitVisits,
    putAside: (letters, batch, context) => commitVisits(batch, context, letters),
  });

  return async function visitPipeline(batch: RecordBatch, context: BatchContext): Promise<bigint> {
    const count = async () => {
      await deps.noticeGap(batch);
      return guardBatch(batch, context);
    };
    return deps.traces === undefined ? count() : deps.traces.around(batch, count);
  };
}

function tracedCommit({ committer, ...deps }: VisitPipelineDeps): CommitVisitsDeps['commitBatch'] {
  const commitBatch = createCommitBatch<VisitSource, EnrichedVisit, CommitResult>({
    ...deps,
    committer: {
      commit: (batch) => committer.commitPrepared(batch),
      findUnstorable: async (visits) => committer.findUnstorable(await all(visits)),
    },
    without: async (visits, some) => visitsInHand((await all(visits)).filter((visit) => !has(some, visit))),
  });
  const { traces } = deps;
  if (traces === undefined) return commitBatch;
  return (batch, options) => traces.step(batch.checkpoint.partition, 'commit', () => commitBatch(batch, options));
}

export type VisitPipeline = ReturnType<typeof createVisitPipeline>;

function all(visits: VisitSource): Promise<readonly EnrichedVisit[]> {
  return visits.pick({ eventIds: new Set(visits.prepared.eventIds) });
}

/** By id: a thread hands over another object each time it is asked. */
function has(some: ReadonlySet<EnrichedVisit>, { eventId }: EnrichedVisit): boolean {
  for (const one of some) if (one.eventId === eventId) return true;
  return false;
}
