import { classifyPostgresError, postgresErrorCode } from '@hopcount/postgres';
import { AppError, isAppError, type Logger } from '@hopcount/runtime';
import type { CheckpointAdvance } from '@hopcount/ledger';

import type { ConsumerMetrics } from '../consumer.metrics.js';

const CONFLICT_RETRIES = 8;
const CONFLICT_WAIT_MS = 25;
const OUTAGE_FIRST_WAIT_MS = 250;
const OUTAGE_LONGEST_WAIT_MS = 5_000;

export interface BatchToCommit<Visits> extends CheckpointAdvance {
  /** Or what else its records are. */
  visits: Visits;
}

export interface CommitBatchDeps<Visits, Visit, Result> {
  committer: {
    commit: (batch: BatchToCommit<Visits>) => Promise<Result>;
    findUnstorable: (visits: Visits) => Promise<Visit[]>;
  };
  without: (visits: Visits, some: ReadonlySet<Visit>) => Visits | Promise<Visits>;
  metrics: Pick<ConsumerMetrics, 'batchRetries'>;
  logger: Logger;
  sleep?: (ms: number) => Promise<void>;
}

/**
 * Commits a batch, whatever it takes:
 * - deadlock or serialization failure: the same transaction again, soon; many in a row are an outage;
 * - PostgreSQL away: wait and try for as long as the partition is ours, never a dead letter;
 * - a value PostgreSQL cannot hold: `onUnstorable` puts those visits aside (acknowledged before it
 *   resolves), then the others are committed;
 * - anything else, a lost checkpoint among it, is thrown: nothing was written.
 */
export function createCommitBatch<Visits, Visit, Result>(deps: CommitBatchDeps<Visits, Visit, Result>) {
  const { committer, metrics, logger } = deps;
  const sleep = deps.sleep ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));

  return async function commitBatch(
    batch: BatchToCommit<Visits>,
    options: { isCurrent: () => boolean; onUnstorable: (visits: Visit[]) => Promise<void> },
  ): Promise<Result> {
    let visits = batch.visits;
    let conflicts = 0;
    let waitMs = OUTAGE_FIRST_WAIT_MS;
    for (;;) {
      try {
        return await committer.commit({ ...batch, visits });
      } catch (error) {
        let failure = isAppError(error) ? 'defect' : classifyPostgresError(error);
        metrics.batchRetries.inc({ sqlstate: postgresErrorCode(error) || failure });
        if (failure === 'data') {
          const stored = await splitOff(deps, visits, options.onUnstorable, error);
          if (stored === 'unavailable') failure = 'unavailable';
          else visits = stored;
        }
        if (failure === 'defect') throw error;
        if (failure === 'data') continue;
        if (failure === 'conflict' && ++conflicts <= CONFLICT_RETRIES) {
          await sleep(CONFLICT_WAIT_MS * conflicts * (0.5 + Math.random()));
          continue;
        }
        if (waitMs === OUTAGE_FIRST_WAIT_MS) logger.warn({ err: error }, 'PostgreSQL is away; waiting');
        await sleep(waitMs);
        waitMs = Math.min(waitMs * 2, OUTAGE_LONGEST_WAIT_MS);
        if (!options.isCurrent()) throw abandoned(error);
      }
    }
  };
}

/**
 * Without the visits PostgreSQL cannot hold, once those are put aside.
 * @throws AppError `unsplittable-batch` when it holds each of them
 */
async function splitOff<Visits, Visit>(
  { committer, without }: Pick<CommitBatchDeps<Visits, Visit, unknown>, 'committer' | 'without'>,
  visits: Visits,
  onUnstorable: (visits: Visit[]) => Promise<void>,
  cause: unknown,
): Promise<Visits | 'unavailable'> {
  let unstorable: Visit[];
  try {
    unstorable = await committer.findUnstorable(visits);
  } catch (error) {
    const failure = classifyPostgresError(error);
    if (failure === 'unavailable' || failure === 'conflict') return 'unavailable';
    throw error;
  }
  if (unstorable.length === 0) {
    throw new AppError('unsplittable-batch', 'PostgreSQL takes each visit but not the batch.', { cause });
  }
  await onUnstorable(unstorable);
  return without(visits, new Set(unstorable));
}

function abandoned(cause: unknown): AppError {
  return new AppError('batch-abandoned', 'The partition is no longer ours; gave up waiting.', { cause });
}
