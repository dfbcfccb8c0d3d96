import { createReadHost } from '@hopcount/hosts';
import type { BatchContext, RecordBatch } from '@hopcount/kafka';
import type { CommitResult, EnrichedVisit } from '@hopcount/ledger';
import {
  createFindNetwork,
  createIdentifyDevice,
  createJudgeVisit,
  createLocateVisitor,
  createReadChannel,
  createReadLanguage,
  createReadReferrerHost,
  type GeoSource,
  type NetworkSource,
} from '@hopcount/links/visitors';
import { createHashVisitor, type HashKeys } from '@hopcount/runtime';

import { type CommitBatchDeps, createCommitBatch } from './steps/commit-batch.js';
import { type CommitVisitsDeps, createCommitVisits } from './steps/commit-visits.js';
import { createDecodeBatch } from './steps/decode-batch.js';
import { createDecodeVisit } from './steps/decode-visit.js';
import { createEnrichVisit } from './enrich/enrich-visit.js';
import type { BatchTraces } from './tracing/batch-traces.js';
import { createGuardBatch, type GuardBatchDeps } from './guard/guard-batch.js';

export interface VisitPipelineDeps extends Omit<CommitVisitsDeps, 'enrichVisit' | 'commitBatch'> {
  /** Says so when records between the checkpoint and a batch are gone. */
  noticeGap: (batch: RecordBatch) => Promise<void>;
  attempts: GuardBatchDeps['attempts'];
  inHand: GuardBatchDeps['inHand'];
  committer: CommitBatchDeps['committer'];
  geoSources: readonly GeoSource[];
  networks: readonly NetworkSource[];
  hashKeys: HashKeys;
  ledgerDays: number;
  /** Undefined: nothing is traced. */
  traces?: BatchTraces | undefined;
}

/** Every step of a batch, in order: is anything before it gone → has it killed before → bytes → visits → what is known of each → counted. */
export function createVisitPipeline(deps: VisitPipelineDeps) {
  const decodeBatch = createDecodeBatch(createDecodeVisit(deps));
  const enrichVisit = createEnrichVisit({
    judgeVisit: createJudgeVisit(),
    locateVisitor: createLocateVisitor(deps.geoSources, () => deps.metrics.geoFailures.inc()),
    findNetwork: createFindNetwork(deps.networks, () => deps.metrics.geoFailures.inc()),
    identifyDevice: createIdentifyDevice(),
    readReferrerHost: createReadReferrerHost(),
    readHost: createReadHost(),
    readLanguage: createReadLanguage(),
    readChannel: createReadChannel(),
    hashVisitor: createHashVisitor(deps.hashKeys),
  });
  const commitVisits = createCommitVisits({ ...deps, enrichVisit, commitBatch: tracedCommit(deps) });
  const guardBatch = createGuardBatch({
    ...deps,
    count: (batch, context) => commitVisits(decodeBatch(batch), context),
    putAside: (refused, batch, context) => commitVisits({ batch, visits: [], refused }, context),
  });

  return async function visitPipeline(batch: RecordBatch, context: BatchContext): Promise<bigint> {
    const count = async () => {
      await deps.noticeGap(batch);
      return guardBatch(batch, context);
    };
    return deps.traces === undefined ? count() : deps.traces.around(batch, count);
  };
}

function tracedCommit(deps: VisitPipelineDeps): ReturnType<typeof createCommitBatch<EnrichedVisit, CommitResult>> {
  const commitBatch = createCommitBatch(deps);
  const { traces } = deps;
  if (traces === undefined) return commitBatch;
  return (batch, options) => traces.step(batch.checkpoint.partition, 'commit', () => commitBatch(batch, options));
}

export type VisitPipeline = ReturnType<typeof createVisitPipeline>;
