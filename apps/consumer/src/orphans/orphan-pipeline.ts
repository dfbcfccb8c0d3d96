import type { BatchContext, RecordBatch } from '@hopcount/kafka';
import type { Logger } from '@hopcount/runtime';
import type { EnrichedOrphan, OrphanCommitResult } from '@hopcount/ledger';

import type { ConsumerMetrics } from '../consumer.metrics.js';
import { createClassifyVisit } from '../enrich/classify-visit.js';
import { type CommitBatchDeps, createCommitBatch } from '../steps/commit-batch.js';
import { createDecodeBatch } from '../steps/decode-batch.js';
import { createGuardBatch, type GuardBatchDeps } from '../guard/guard-batch.js';
import { createLocateVisitor, type GeoSource } from '../enrich/locate-visitor.js';
import { type CommitOrphansDeps, createCommitOrphans } from './commit-orphans.js';
import { createDecodeOrphan } from './decode-orphan.js';
import { createEnrichOrphan } from './enrich-orphan.js';

export interface OrphanPipelineDeps extends Pick<CommitOrphansDeps, 'owned' | 'deadLetters'> {
  attempts: GuardBatchDeps['attempts'];
  /** That of the visits: a process dies of what it has in hand of either. */
  inHand: GuardBatchDeps['inHand'];
  committer: CommitBatchDeps<EnrichedOrphan, OrphanCommitResult>['committer'];
  geoSources: readonly GeoSource[];
  metrics: ConsumerMetrics;
  logger: Logger;
}

/** The steps of a batch of orphan visits, those of visits where they are the same. */
export function createOrphanPipeline(deps: OrphanPipelineDeps) {
  const decodeBatch = createDecodeBatch(createDecodeOrphan());
  const enrichOrphan = createEnrichOrphan({
    classifyVisit: createClassifyVisit(),
    locateVisitor: createLocateVisitor(deps.geoSources, () => deps.metrics.geoFailures.inc()),
  });
  const commitOrphans = createCommitOrphans({ ...deps, enrichOrphan, commitBatch: createCommitBatch(deps) });
  const guardBatch = createGuardBatch({
    ...deps,
    count: (batch, context) => commitOrphans(decodeBatch(batch), context),
    putAside: (refused, batch, context) => commitOrphans({ batch, visits: [], refused }, context),
  });
  return function orphanPipeline(batch: RecordBatch, context: BatchContext): Promise<bigint> {
    return guardBatch(batch, context);
  };
}

export type OrphanPipeline = ReturnType<typeof createOrphanPipeline>;
