import type { AssignmentHook, KafkaAdmin } from '@hopcount/kafka';
import type { Logger } from '@hopcount/runtime';
import type { BatchAttempts, PartitionCheckpoints } from '@hopcount/ledger';

import type { ConsumerMetrics } from '../consumer.metrics.js';
import { decideStart, type StartDecision } from './decide-start.js';
import type { OwnedPartitions } from './owned-partitions.js';
import { recordLoss } from './record-loss.js';

export interface AssignPartitionsDeps {
  group: string;
  topic: string;
  /** Names this process in the checkpoint rows. */
  owner: string;
  admin: Pick<KafkaAdmin, 'topicOffsets' | 'groupOffsets'>;
  checkpoints: Pick<
    PartitionCheckpoints,
    'takeOwnership' | 'restartTopic' | 'recordLoss' | 'incarnation' | 'renewIncarnation'
  >;
  attempts: Pick<BatchAttempts, 'list'>;
  owned: OwnedPartitions;
  metrics: Pick<ConsumerMetrics, 'lostToRetention'>;
  logger: Logger;
}

/**
 * Takes each assigned partition over (a higher epoch fences whoever had it) and says where to start.
 * Throws when Kafka or PostgreSQL cannot answer; the strategy asks again.
 */
export function createAssignPartitions(deps: AssignPartitionsDeps): AssignmentHook {
  const { group, topic, owner, admin, checkpoints, attempts, owned, logger } = deps;
  return async function assignPartitions(partitions, { isCurrent }) {
    const starts = new Map<number, bigint | undefined>();
    const taken = [];
    for (const partition of partitions) {
      // Only a partition that is still ours may be taken: a late taker would fence the rightful owner.
      if (!isCurrent()) return starts;
      taken.push(await checkpoints.takeOwnership({ group, topic, partition }, owner));
    }
    // Asked after the fence: no zombie can move these numbers any more.
    const [logs, commits, unended] = await Promise.all([
      admin.topicOffsets(topic),
      admin.groupOffsets(group, topic),
      attempts.list(group, topic),
    ]);
    const decided = taken.map((checkpoint) => {
      const { partition } = checkpoint;
      const log = logs.find((entry) => entry.partition === partition);
      if (log === undefined) throw new Error(`${topic} has no partition ${partition}`);
      const committed = commits.find((entry) => entry.partition === partition)?.offset ?? null;
      const positions = { checkpoint: checkpoint.nextOffset, committed, low: log.low, high: log.high };
      const decision = decideStart(positions);
      report(logger, partition, positions, decision);
      return { checkpoint, decision, logStart: log.low };
    });
    const renewal = decided.find(({ decision }) => decision.renewIncarnation)?.decision.reason;
    const incarnation =
      renewal === undefined ? await checkpoints.incarnation() : await checkpoints.renewIncarnation(renewal);
    for (const { checkpoint, decision, logStart } of decided) {
      const counted = decision.restartTopic ? await checkpoints.restartTopic(checkpoint) : checkpoint;
      const ready = counted.nextOffset < logStart ? await recordLoss(deps, counted, logStart) : counted;
      owned.take(ready.partition, {
        checkpoint: ready,
        trustClaimsFrom: decision.trustClaimsFrom,
        incarnation,
        // Offsets of a topic made anew are those of other records.
        unended: decision.restartTopic ? undefined : unended.get(ready.partition),
        proven: false,
      });
      starts.set(ready.partition, decision.start);
    }
    return starts;
  };
}

function report(logger: Logger, partition: number, positions: object, decision: StartDecision): void {
  const fields = {
    partition,
    reason: decision.reason,
    start: decision.start.toString(),
    ...Object.fromEntries(Object.entries(positions).map(([name, value]) => [name, String(value)])),
  };
  const usual = decision.reason === 'usual' || decision.reason === 'first-read';
  if (usual) logger.debug(fields, 'start decided');
  else logger.warn(fields, 'start decided');
}
