import type { KafkaAdmin, RecordBatch } from '@hopcount/kafka';
import { failpoint, type Logger } from '@hopcount/runtime';
import type { OwnedCheckpoint, PartitionCheckpoints } from '@hopcount/ledger';

import type { ConsumerMetrics } from '../consumer.metrics.js';
import type { OwnedPartitions } from './owned-partitions.js';

export interface RecordLossDeps {
  checkpoints: Pick<PartitionCheckpoints, 'recordLoss'>;
  metrics: Pick<ConsumerMetrics, 'lostToRetention'>;
  logger: Logger;
}

/** Retention was faster than we: says so for good, and resolves with the checkpoint where the log begins. */
export async function recordLoss(
  { checkpoints, metrics, logger }: RecordLossDeps,
  owned: OwnedCheckpoint,
  logStart: bigint,
): Promise<OwnedCheckpoint> {
  failpoint('consumer.before-loss-noted');
  const { checkpoint, lost } = await checkpoints.recordLoss(owned, logStart);
  failpoint('consumer.after-loss-noted');
  const { topic, partition } = owned;
  if (lost === 0n) return checkpoint;
  metrics.lostToRetention.inc({ topic, partition: String(partition) }, Number(lost));
  const fields = { topic, partition, from: (logStart - lost).toString(), to: logStart.toString(), lost: Number(lost) };
  logger.error(fields, 'VISITS LOST: retention removed records before they were counted');
  return checkpoint;
}

/**
 * While a partition is read, kafkajs answers "offset out of range" by going on at the log's start. A batch
 * that begins beyond the checkpoint may therefore have visits behind it that nobody will ever count; the
 * log's own start tells (offsets taken by control records are behind us, too, but still in the log).
 */
export function createNoticeGap(
  deps: RecordLossDeps & { owned: OwnedPartitions; admin: Pick<KafkaAdmin, 'topicOffsets'> },
) {
  return async function noticeGap(batch: RecordBatch): Promise<void> {
    const checkpoint = deps.owned.get(batch.partition)?.checkpoint;
    const first = batch.records[0]?.offset;
    if (checkpoint === undefined || first === undefined || first <= checkpoint.nextOffset) return;
    const logs = await deps.admin.topicOffsets(batch.topic);
    const low = logs.find(({ partition }) => partition === batch.partition)?.low ?? 0n;
    // What we have in hand is not lost, even if it is gone from the log by now.
    const logStart = low < first ? low : first;
    if (logStart > checkpoint.nextOffset) deps.owned.advance(await recordLoss(deps, checkpoint, logStart));
  };
}
