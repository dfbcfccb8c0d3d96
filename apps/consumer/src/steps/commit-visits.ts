import { REPLAY_HEADERS, type VisitEventV1 } from '@hopcount/contracts';
import type { BatchContext, DeadLetter, DeadLetterWriter, IncomingRecord, RecordBatch } from '@hopcount/kafka';
import type { ClaimOutcome, LinkLocks, LinkReadLease, VisitClaims } from '@hopcount/redis';
import { AppError, failpoint, isAppError, type Logger } from '@hopcount/runtime';
import type { CommitResult, EnrichedVisit } from '@hopcount/ledger';

import type { OwnedPartition, OwnedPartitions } from '../assignment/owned-partitions.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { createCommitBatch } from './commit-batch.js';
import { measureBatch } from './measure-batch.js';
import { unstorableLetters } from './unstorable-letters.js';

const LOCK_WAIT_MS = 500;
const LOCK_LEASE_MS = 30_000;

export interface DecodedRecord<Event = VisitEventV1> {
  record: IncomingRecord;
  visit: Event;
}

/** A batch after decoding: what may be counted, and what was refused. */
export interface DecodedBatch<Event = VisitEventV1> {
  batch: RecordBatch;
  visits: DecodedRecord<Event>[];
  refused: DeadLetter[];
}

export interface CommitVisitsDeps {
  owned: OwnedPartitions;
  claims: Pick<VisitClaims, 'claim' | 'markDone'>;
  locks: Pick<LinkLocks, 'acquireRead'>;
  deadLetters: Pick<DeadLetterWriter, 'write'>;
  enrichVisit: (visit: VisitEventV1) => EnrichedVisit;
  commitBatch: ReturnType<typeof createCommitBatch<EnrichedVisit, CommitResult>>;
  metrics: ConsumerMetrics;
  logger: Logger;
}

/**
 * Claim, lock, commit, mark, in the order of design section 6. Redis only saves work: without it
 * every visit goes to the ledger, which decides. Dead letters are acknowledged before the commit
 * that moves the checkpoint past them. Resolves with the next offset of the partition.
 */
export function createCommitVisits(deps: CommitVisitsDeps) {
  const { owned, claims, metrics } = deps;

  return async function commitVisits(work: DecodedBatch, context: BatchContext): Promise<bigint> {
    failpoint('consumer.after-poll');
    const endTimer = metrics.batchDuration.startTimer();
    const { batch } = work;
    const owner = owned.get(batch.partition);
    if (owner === undefined) throw new AppError('partition-not-owned', `Partition ${batch.partition} is not owned yet`);
    const { checkpoint, incarnation } = owner;
    const last = batch.records.at(-1);
    const nextOffset = last === undefined ? checkpoint.nextOffset : last.offset + 1n;
    const claimed = await claims.claim(
      incarnation,
      work.visits.map(({ visit }) => visit.eventId),
    );
    failpoint('consumer.after-claim');
    const fresh = work.visits.filter((item, index) => !isCountedAlready(metrics, item, claimed[index], owner));
    const visits = fresh.map(({ visit }) => deps.enrichVisit(visit));
    const lease = await lockLinks(deps, visits);
    const unstorableIds = new Set<string>();
    const { isCurrent } = context;
    const onUnstorable = async (bad: EnrichedVisit[]) => {
      await writeDeadLetters(deps, unstorableLetters(work, bad, commitVisits.name), isCurrent);
      for (const visit of bad) unstorableIds.add(visit.eventId);
    };
    try {
      await writeDeadLetters(deps, work.refused, isCurrent);
      const result = await deps.commitBatch(
        { checkpoint, nextOffset, lastRecordAtMs: last?.timestampMs ?? null, visits },
        { isCurrent, onUnstorable },
      );
      failpoint('consumer.after-commit-before-marks');
      owned.advance(result.checkpoint);
      // Marked only what the ledger holds: a dead letter sent again after a repair must not be skipped.
      const counted = visits.map(({ eventId }) => eventId).filter((id) => !unstorableIds.has(id));
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
      endTimer();
    }
  };
}

/**
 * `done` saves a visit only at offsets the marks can be believed for, and never one that an operator
 * sent again: it is sent because the ledger may lack it, whatever Redis remembers.
 */
function isCountedAlready(
  metrics: ConsumerMetrics,
  { record }: DecodedRecord,
  claim: ClaimOutcome | undefined,
  owner: OwnedPartition,
): boolean {
  if (claim === 'unknown' || claim === undefined) metrics.claimsUnavailable.inc();
  if (claim !== 'done') return false;
  const isBelieved = record.offset >= owner.trustClaimsFrom && !(REPLAY_HEADERS.action in record.headers);
  if (isBelieved) metrics.dedupeHits.inc({ cause: 'claim' });
  return isBelieved;
}

/** One lock for all links of the batch; the commit goes on without it when it is not to be had. */
async function lockLinks(
  { locks, metrics }: CommitVisitsDeps,
  visits: readonly EnrichedVisit[],
): Promise<Pick<LinkReadLease, 'release'>> {
  if (visits.length === 0) return { release: () => Promise.resolve(true) };
  const linkIds = [...new Set(visits.map((visit) => visit.linkId))];
  const lease = await locks.acquireRead(linkIds, { waitMs: LOCK_WAIT_MS, leaseMs: LOCK_LEASE_MS });
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
