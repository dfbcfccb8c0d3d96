import { decodeHostState } from '@hopcount/contracts';
import type { AssignmentHook, IncomingRecord, KafkaAdmin, RecordBatch } from '@hopcount/kafka';
import type { HostReplicas, KnownPeers } from '@hopcount/ledger';
import { AppError, type Logger } from '@hopcount/runtime';

import type { WorkerMetrics } from '../worker.metrics.js';

const PARTITION = 0;
/** Of one transaction. */
const RECORDS_AT_ONCE = 2_000;

interface FollowPeerDeps {
  dc: string;
  topic: string;
  /** At the peer's brokers. */
  admin: Pick<KafkaAdmin, 'topicOffsets'>;
  replicas: Pick<HostReplicas, 'position' | 'merge'>;
  known: Pick<KnownPeers, 'countRefusedAnew'>;
  metrics: Pick<WorkerMetrics, 'hostStates'>;
  logger: Logger;
}

/** Merges what a peer says into PostgreSQL, from where PostgreSQL says it stands. */
export class FollowPeer {
  #position: bigint | undefined;

  constructor(private readonly deps: FollowPeerDeps) {}

  readonly assign: AssignmentHook = async (partitions) => {
    const { dc, topic, admin, replicas, known } = this.deps;
    const [log, ...others] = await admin.topicOffsets(topic);
    if (log === undefined || others.length > 0) throw new Error(`${topic} of ${dc} must have one partition`);
    this.#position = await replicas.position(dc, log);
    if (this.#position === log.low) await known.countRefusedAnew(dc);
    return new Map(partitions.map((partition) => [partition, this.#position]));
  };

  /** @throws whatever keeps the states from being merged; the batch is then read again, from where PostgreSQL says. */
  async onBatch({ records }: RecordBatch): Promise<bigint> {
    if (this.#position === undefined) throw new Error(`${this.deps.topic}[${PARTITION}] is not assigned`);
    for (let at = 0; at < records.length; at += RECORDS_AT_ONCE) {
      await this.#merge(records.slice(at, at + RECORDS_AT_ONCE));
    }
    return this.#position;
  }

  async #merge(records: readonly IncomingRecord[]): Promise<void> {
    const { dc, replicas, metrics, logger } = this.deps;
    const from = this.#position!;
    const to = records.at(-1)!.offset + 1n;
    const decoded = records.map(({ value }) => decodeHostState(value));
    const states = decoded.flatMap((one) => (one.outcome === 'ok' ? [one.visit] : []));
    const unreadable = decoded.length - states.length;
    const report = await replicas.merge(dc, { from, to, states, unreadable });
    metrics.hostStates.inc({ outcome: 'merged' }, report.merged);
    metrics.hostStates.inc({ outcome: 'known' }, report.known);
    metrics.hostStates.inc({ outcome: 'refused' }, report.refused);
    if (report.refused > 0)
      logger.error(
        { dc, refused: report.refused },
        'states of a peer were not taken: foreign, unreadable, or beyond what is kept',
      );
    if (report.isToBeReadAgain) {
      throw new AppError('checkpoint-fenced', `"${dc}" began a new epoch: its topic is read again.`, {
        retryable: true,
      });
    }
    this.#position = to;
  }
}
