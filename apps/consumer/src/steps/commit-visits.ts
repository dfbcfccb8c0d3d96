import type { BatchContext, DeadLetter, DeadLetterWriter, RecordBatch } from '@hopcount/kafka';
import type { ClaimOutcome, LinkLocks, LinkReadLease, VisitClaims } from '@hopcount/redis';
import { AppError, failpoint, isAppError, type Logger } from '@hopcount/runtime';
import { type CommitResult, type EnrichedVisit, type VisitSource, visitsInHand } from '@hopcount/ledger';
import { REPLAY_HEADERS } from '@hopcount/contracts';

import type { OwnedPartition, OwnedPartitions } from '../assignment/owned-partitions.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { PreparedRecords, PrepareRecords } from '../preparation/prepared-records.js';
import type { createCommitBatch } from './commit-batch.js';
import { measureBatch } from './measure-batch.js';
import { refusedLetters, unstorableLetters } from './letters.js';

const LOCK_WAIT_MS = 500;
const LOCK_LEASE_MS = 30_000;

export interface CommitVisitsDeps {
  prepare: PrepareRecords;
  owned: OwnedPartitions;
  claims: Pick<VisitClaims, 'claim' | 'markDone'>;
  locks: Pick<LinkLocks, 'acquireRead'>;
  deadLetters: Pick<DeadLetterWriter, 'write'>;
  commitBatch: ReturnType<typeof createCommitBatch<VisitSource, EnrichedVisit, CommitResult>>;
  metrics: ConsumerMetrics;
  logger: Logger;
}

/**
 * Prepare, claim, lock, commit, mark, in the order of design section 6. Redis only saves work: without it
 * every visit goes to the ledger, which decides. Dead letters are acknowledged before the commit
 * that moves the checkpoint past them. Resolves with the next offset of the partition.
 */
export function createCommitVisits(deps: CommitVisitsDeps) {
  /** @param putAside letters of all records of the batch, none of which is looked at */
  return async function commitVisits(
    batch: RecordBatch,
    context: BatchContext,
    putAside?: DeadLetter[],
  ): Promise<bigint> {
    failpoint('consumer.after-poll');
    const endTimer = deps.metrics.batchDuration.startTimer();
    try {
      // Before anything is waited for: whoever loses the partition meanwhile is fenced by what it had.
      const owner = deps.owned.get(batch.partition);
      if (owner === undefined)
        throw new AppError('partition-not-owned', `Partition ${batch.partition} is not owned yet`);
      if (putAside !== undefined)
        return await commit(deps, { batch, owner, records: nothing(), letters: putAside }, context);
      const records = await deps.prepare(batch.records.map(({ value }) => value));
      try {
        const letters = refusedLetters(batch, records);
        return await commit(deps, { batch, owner, records, letters }, context);
      } finally {
        records.release();
      }
    } finally {
      endTimer();
    }
  };
}

/** A batch of which everything is known: its visits, and the dead letters of the rest. */
interface PreparedWork {
  batch: RecordBatch;
  owner: OwnedPartition;
  records: PreparedRecords;
  letters: DeadLetter[];
}

async function commit(deps: CommitVisitsDeps, work: PreparedWork, { isCurrent }: BatchContext): Promise<bigint> {
  const { owned, claims, metrics } = deps;
  const { batch, records } = work;
  const { checkpoint, incarnation } = work.owner;
  const last = batch.records.at(-1);
  const nextOffset = last === undefined ? checkpoint.nextOffset : last.offset + 1n;
  const claimed = await claims.claim(incarnation, [...records.eventIds]);
  failpoint('consumer.after-claim');
  const visits = await notCountedAlready(metrics, work, claimed);
  const lease = await lockLinks(deps, visits);
  const unstorableIds = new Set<string>();
  const onUnstorable = async (bad: EnrichedVisit[]) => {
    await writeDeadLetters(deps, unstorableLetters(batch, records, bad), isCurrent);
    for (const visit of bad) unstorableIds.add(visit.eventId);
  };
  try {
    await writeDeadLetters(deps, work.letters, isCurrent);
    const result = await deps.commitBatch(
      { checkpoint, nextOffset, lastRecordAtMs: last?.timestampMs ?? null, visits },
      { isCurrent, onUnstorable },
    );
    failpoint('consumer.after-commit-before-marks');
    owned.advance(result.checkpoint);
    // Marked only what the ledger holds: a dead letter sent again after a repair must not be skipped.
    const counted = visits.prepared.eventIds.filter((id) => !unstorableIds.has(id));
    await claims.markDone(incarnation, counted);
    failpoint('consumer.after-marks-before-offset');
    measureBatch(metrics, { records: batch.records.length, result, nowMs: Date.now() });
    return nextOffset;
  } catch (error) {
    if (isAppError(error, 'checkpoint-fenced')) {
      metrics.fenced.inc();
      owned.drop(checkpoint);
    }
    throw error;
  } finally {
    await lease.release();
  }
}

function nothing(): PreparedRecords {
  return { indexes: new Uint32Array(), eventIds: [], refused: [], visits: visitsInHand([]), release: () => undefined };
}

/**
 * `done` saves a visit only at offsets the marks can be believed for, and never one that an operator
 * sent again: it is sent because the ledger may lack it, whatever Redis remembers.
 */
async function notCountedAlready(
  metrics: ConsumerMetrics,
  { batch, records, owner }: PreparedWork,
  claimed: readonly ClaimOutcome[],
): Promise<VisitSource> {
  const fresh: string[] = [];
  records.eventIds.forEach((eventId, place) => {
    const record = batch.records[records.indexes[place] as number];
    const claim = claimed[place];
    if (claim === 'unknown' || claim === undefined) metrics.claimsUnavailable.inc();
    const isBelieved =
      record !== undefined && record.offset >= owner.trustClaimsFrom && !(REPLAY_HEADERS.action in record.headers);
    if (claim === 'done' && isBelieved) metrics.dedupeHits.inc({ cause: 'claim' });
    else fresh.push(eventId);
  });
  if (fresh.length === records.eventIds.length) return records.visits;
  const picked = visitsInHand(fresh.length === 0 ? [] : await records.visits.pick({ eventIds: new Set(fresh) }));
  // An event that stands in the batch twice was picked once: its second copy is a duplicate like another.
  return {
    prepared: { ...picked.prepared, given: fresh.length },
    pick: (which) => picked.pick(which),
    foldHours: (foldedFrom) => picked.foldHours(foldedFrom),
  };
}

/** One lock for all links of the batch; the commit goes on without it when it is not to be had. */
async function lockLinks(
  { locks, metrics }: CommitVisitsDeps,
  { prepared }: VisitSource,
): Promise<Pick<LinkReadLease, 'release'>> {
  const { linkIds } = prepared.sums;
  if (linkIds.length === 0) return { release: () => Promise.resolve(true) };
  const lease = await locks.acquireRead([...linkIds], { waitMs: LOCK_WAIT_MS, leaseMs: LOCK_LEASE_MS });
  if (!lease.held) metrics.locksNotHeld.inc();
  return lease;
}

async function writeDeadLetters(
  { deadLetters, metrics }: CommitVisitsDeps,
  letters: DeadLetter[],
  isCurrent: () => boolean,
): Promise<void> {
  await deadLetters.write(letters, isCurrent);
  for (const letter of letters) metrics.deadLettered.inc({ reason: letter.reason });
}
