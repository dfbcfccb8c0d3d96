import { decodeSourceAudit, type SourceAuditV1 } from '@hopcount/contracts';
import type { AssignmentHook, KafkaAdmin, RecordBatch } from '@hopcount/kafka';
import type { Logger } from '@hopcount/runtime';
import type { SourceAudits } from '@hopcount/ledger';

import type { WorkerMetrics } from '../worker.metrics.js';

export interface StoreAuditsDeps {
  group: string;
  topic: string;
  audits: Pick<SourceAudits, 'position' | 'store'>;
  admin: Pick<KafkaAdmin, 'topicOffsets'>;
  metrics: Pick<WorkerMetrics, 'auditRecords'>;
  logger: Logger;
}

/** Reads gateways' reports into PostgreSQL, from where PostgreSQL says it stands. */
export class StoreAudits {
  readonly #positions = new Map<number, bigint>();

  constructor(private readonly deps: StoreAuditsDeps) {}

  readonly assign: AssignmentHook = async (partitions) => {
    const { group, topic, admin, audits } = this.deps;
    const logs = await admin.topicOffsets(topic);
    for (const partition of partitions) {
      const log = logs.find((entry) => entry.partition === partition);
      if (log === undefined) throw new Error(`${topic} has no partition ${partition}`);
      this.#positions.set(partition, await audits.position({ group, topic, partition }, log));
    }
    return new Map(partitions.map((partition) => [partition, this.#positions.get(partition)]));
  };

  /** @throws whatever keeps the reports from being stored; the batch is then read again. */
  async onBatch({ partition, records }: RecordBatch): Promise<bigint> {
    const { group, topic, audits, metrics } = this.deps;
    const last = records.at(-1);
    const from = this.#positions.get(partition);
    if (from === undefined) throw new Error(`${topic}[${partition}] is not assigned`);
    if (last === undefined) return from;
    const reports = records.flatMap((record) => this.#decode(record) ?? []);
    await audits.store({ group, topic, partition }, { from, to: last.offset + 1n }, reports);
    this.#positions.set(partition, last.offset + 1n);
    metrics.auditRecords.inc({ outcome: 'stored' }, reports.length);
    return last.offset + 1n;
  }

  #decode({ value, offset }: RecordBatch['records'][number]): SourceAuditV1 | undefined {
    const report = decodeSourceAudit(value);
    if (report === undefined) {
      this.deps.metrics.auditRecords.inc({ outcome: 'unreadable' });
      this.deps.logger.error({ topic: this.deps.topic, offset: offset.toString() }, 'a record is no audit report');
    }
    return report;
  }
}
