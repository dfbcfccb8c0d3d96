import type { BatchContext, DeadLetter, RecordBatch } from '@hopcount/kafka';
import type { Logger } from '@hopcount/runtime';
import type { BatchAttempts, UnendedAttempt } from '@hopcount/ledger';

import type { OwnedPartition, OwnedPartitions } from '../assignment/owned-partitions.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { RecordsInHand } from './records-in-hand.js';

/** Records in hand at once, after so many deaths at the same place: all, then few, then one alone. */
const RECORDS_IN_HAND = [Number.POSITIVE_INFINITY, 32, 1];
/** A death with all, one with few and one with it alone, no other partition's in hand: the record does it. */
const DEATHS_TO_PUT_ASIDE = RECORDS_IN_HAND.length;
const PIECE_OF_FEW = 32;

type Handle = (batch: RecordBatch, context: BatchContext) => Promise<bigint>;

export interface GuardBatchDeps {
  owned: OwnedPartitions;
  attempts: Pick<BatchAttempts, 'record' | 'clear'>;
  count: Handle;
  /** One for all partitions of the process. */
  inHand: RecordsInHand;
  /** Acknowledged by the dead-letter topic before the checkpoint moves past the batch. */
  putAside: (letters: DeadLetter[], batch: RecordBatch, context: BatchContext) => Promise<bigint>;
  metrics: Pick<ConsumerMetrics, 'suspectBatches'>;
  logger: Logger;
}

/**
 * Keeps a record that kills the process (out of memory, out of stack, a native fault) from doing so for
 * ever. Before the first batch after an assignment is taken in hand, that is written down; a row that is
 * found there tells of a death, and the same records are then handled in smaller pieces until one of them
 * is known, which goes to the dead letter. Every later batch passes with one comparison.
 *
 * A try that fails while the process lives is taken back: an outage of PostgreSQL puts nothing aside.
 */
export function createGuardBatch(deps: GuardBatchDeps): Handle {
  const { owned } = deps;
  const count: Handle = (batch, context) =>
    deps.inHand.hold('together', context.isCurrent, () => deps.count(batch, context));
  return async function guardBatch(batch, context) {
    const owner = owned.get(batch.partition);
    if (owner === undefined || owner.proven || batch.records.length === 0) return count(batch, context);
    const { unended } = owner;
    const first = unended === undefined ? 0 : batch.records.findIndex(({ offset }) => offset >= unended.offset);
    // A replay began before the place where somebody died: up to there nothing is known of the records.
    if (first === -1) return count(batch, context);
    if (first > 0) await count(part(batch, 0, first), context);
    const suspects = part(batch, first);
    const deaths = suspects.records[0]?.offset === unended?.offset ? (unended?.attempts ?? 0) : 0;
    if (deaths > 0) report(deps, suspects, deaths);
    const handled =
      deaths >= DEATHS_TO_PUT_ASIDE
        ? await putFirstAside(deps, suspects, deaths, context)
        : await countInPieces(deps, owner, suspects, deaths, context);
    await deps.attempts.clear(owner.checkpoint);
    owner.unended = undefined;
    owner.proven = true;
    const rest = part(suspects, handled);
    return rest.records.length === 0 ? nextOffsetOf(batch) : count(rest, context);
  };
}

/** Resolves with the number of records handled. */
async function countInPieces(
  { attempts, count, inHand, logger }: GuardBatchDeps,
  owner: OwnedPartition,
  batch: RecordBatch,
  deaths: number,
  context: BatchContext,
): Promise<number> {
  const size = RECORDS_IN_HAND[deaths] ?? 1;
  // Alone only those that were in hand when it last died.
  const end = size === 1 ? Math.min(PIECE_OF_FEW, batch.records.length) : batch.records.length;
  for (let from = 0; from < end; from += size) {
    const piece = part(batch, from, Math.min(from + size, end));
    const attempt: UnendedAttempt = { offset: piece.records[0]?.offset ?? 0n, attempts: deaths + 1 };
    // The row speaks of an earlier piece then, which the checkpoint has passed.
    let mustTakeBack = from > 0;
    try {
      await inHand.hold(size === 1 ? 'alone' : 'together', context.isCurrent, async () => {
        mustTakeBack = true;
        await attempts.record(owner.checkpoint, attempt);
        await count(piece, context);
      });
    } catch (error) {
      if (!mustTakeBack) throw error;
      await attempts.record(owner.checkpoint, { ...attempt, attempts: deaths }).catch((failure: unknown) => {
        logger.debug({ err: failure, partition: batch.partition }, 'attempt not taken back');
      });
      throw error;
    }
  }
  return end;
}

async function putFirstAside(
  { putAside }: GuardBatchDeps,
  batch: RecordBatch,
  deaths: number,
  context: BatchContext,
): Promise<number> {
  const alone = part(batch, 0, 1);
  const letters = alone.records.map((record) => ({
    topic: batch.topic,
    partition: batch.partition,
    record,
    reason: 'kills-consumer' as const,
    step: 'guardBatch',
    detail: `${deaths} consumers in a row died with this record in hand, the last with nothing else`,
    attempts: deaths,
  }));
  await putAside(letters, alone, context);
  return 1;
}

function report({ metrics, logger }: GuardBatchDeps, batch: RecordBatch, deaths: number): void {
  metrics.suspectBatches.inc();
  const fields = { partition: batch.partition, offset: batch.records[0]?.offset.toString(), deaths };
  logger.warn(fields, 'a consumer died with these records in hand; taking fewer at once');
}

function part(batch: RecordBatch, from: number, to?: number): RecordBatch {
  return { ...batch, records: batch.records.slice(from, to) };
}

function nextOffsetOf(batch: RecordBatch): bigint {
  return (batch.records.at(-1)?.offset ?? -1n) + 1n;
}
