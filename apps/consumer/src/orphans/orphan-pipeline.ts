import { setTimeout as sleep } from 'node:timers/promises';

import { beyondLedger, decodeOrphanVisit, eventIdTimeMs, type OrphanVisitV1 } from '@hopcount/contracts';
import type { BatchContext, HandleBatch, RecordBatch } from '@hopcount/kafka';
import { classifyPostgresError } from '@hopcount/postgres';
import { failpoint, type Logger, readIpHash } from '@hopcount/runtime';
import type { EnrichedOrphan, OrphanVisits } from '@hopcount/ledger';
import { createClassifyVisit, createLocateVisitor, type GeoSource } from '@hopcount/links/visitors';

import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { RecordsInHand } from '../guard/records-in-hand.js';

const RETRY_AFTER_MS = 1_000;

export interface OrphanPipelineDeps {
  orphans: Pick<OrphanVisits, 'add'>;
  /** That of the visits: a process dies of what it has in hand of either. */
  inHand: RecordsInHand;
  geoSources: readonly GeoSource[];
  metrics: Pick<ConsumerMetrics, 'orphansCounted' | 'orphansUnusable' | 'orphansLost' | 'geoFailures'>;
  logger: Logger;
}

/**
 * Orphan visits are best effort: each event at most once (the table's key), no dead letters, Kafka's offset
 * as the only position. What is no orphan visit, or PostgreSQL cannot hold, is counted and passed over.
 * The first batch after an assignment is committed before it is handled: a record that kills the process
 * is in its successor's first batch, and the one after that reads on behind it.
 */
export function createOrphanPipeline(deps: OrphanPipelineDeps): HandleBatch {
  const { inHand, metrics } = deps;
  const enrichOrphan = createEnrichOrphan(deps);
  const begun = new Map<number, number>();

  /** One that is too old is not refused here: the horizon of its table keeps it out. */
  const decode = (value: Buffer | null): OrphanVisitV1[] => {
    const decoded = decodeOrphanVisit(value);
    const refused =
      decoded.outcome === 'ok'
        ? beyondLedger(eventIdTimeMs(decoded.visit.eventId), Date.now(), Number.POSITIVE_INFINITY)
        : decoded;
    if (decoded.outcome === 'ok' && refused === null) return [decoded.visit];
    metrics.orphansUnusable.inc({ reason: refused?.reason });
    return [];
  };

  return async function orphanPipeline(batch: RecordBatch, context: BatchContext): Promise<bigint> {
    const { partition, records } = batch;
    const nextOffset = (records.at(-1)?.offset ?? -1n) + 1n;
    const { isCurrent } = context;
    const isFirst = begun.get(partition) !== context.assignmentGeneration;
    if (isFirst) await context.commitOffset(nextOffset);
    begun.set(partition, context.assignmentGeneration);
    let left = records.length;
    try {
      // Not while they are stored: a visits partition that has to be alone must not wait for their table.
      const orphans = await inHand.hold('together', isCurrent, () => {
        failpoint('consumer.orphans-in-hand');
        return Promise.resolve(records.flatMap(({ value }) => decode(value)).map(enrichOrphan));
      });
      left = orphans.length;
      await addStorable(deps, orphans, isCurrent, (settled) => (left -= settled));
    } catch (error) {
      // Its offset is committed: the next owner reads on behind it.
      if (isFirst && !isCurrent()) metrics.orphansLost.inc(left);
      throw error;
    }
    failpoint('consumer.orphans-after-commit');
    return nextOffset;
  };
}

/** A decoded orphan visit → one row of its table, by the rules of visits. Never fails. */
function createEnrichOrphan({ geoSources, metrics }: OrphanPipelineDeps) {
  const classifyVisit = createClassifyVisit();
  const locateVisitor = createLocateVisitor(geoSources, () => metrics.geoFailures.inc());
  return function enrichOrphan(orphan: OrphanVisitV1): EnrichedOrphan {
    const { eventId, type, domain, path, referrer, userAgent, truncated, source } = orphan;
    return {
      ...locateVisitor(orphan.clientIp),
      eventId,
      type,
      domain,
      path,
      referrer,
      userAgent,
      truncated,
      source,
      occurredAtMs: eventIdTimeMs(eventId),
      class: classifyVisit(orphan),
      ip: readIpHash(orphan.clientIpHash),
    };
  };
}

/** Waits for PostgreSQL as long as the partition is ours; passes over what it cannot hold. */
async function addStorable(
  deps: Pick<OrphanPipelineDeps, 'orphans' | 'metrics' | 'logger'>,
  visits: EnrichedOrphan[],
  isCurrent: () => boolean,
  onSettled: (visits: number) => void,
): Promise<void> {
  for (;;) {
    try {
      deps.metrics.orphansCounted.inc(await deps.orphans.add(visits));
      return onSettled(visits.length);
    } catch (error) {
      const failure = classifyPostgresError(error);
      if (failure === 'defect' || !isCurrent()) throw error;
      if (failure === 'data') break;
      deps.logger.debug({ err: error }, 'orphan visits wait for PostgreSQL');
      await sleep(RETRY_AFTER_MS);
    }
  }
  const half = Math.floor(visits.length / 2);
  if (half === 0) {
    deps.metrics.orphansUnusable.inc({ reason: 'unstorable' });
    return onSettled(1);
  }
  await addStorable(deps, visits.slice(0, half), isCurrent, onSettled);
  await addStorable(deps, visits.slice(half), isCurrent, onSettled);
}
