import type { SourceAuditV1 } from '@hopcount/contracts';
import type { Logger } from '@hopcount/runtime';

import type { KafkaState } from '../visits/kafka-state.js';
import type { RecordPublisher, VisitPublisher } from '../visits/visit-publisher.js';
import { NO_HEADERS, type VisitRecord } from '../visits/visit-record.js';
import type { VisitSpool } from '../visits/visit-spool.js';
import type { SourceAudit } from './source-audit.js';

const LOOK_EVERY_MS = 1_000;
/** After a minute's end: lets its last batches settle, so that most minutes are reported once. */
const REPORT_AFTER_MS = 5_000;

export interface AuditReporterParts {
  kafka: RecordPublisher;
  spool: Pick<VisitSpool, 'append' | 'hasWork'>;
  state: Pick<KafkaState, 'isUp'>;
  publisher: Pick<VisitPublisher, 'oldestUnsettledMs'>;
  logger: Logger;
  topic: string;
  nowMs?: () => number;
}

/**
 * Publishes the audit as durably as the visits it speaks of, and never before them: while anything
 * is spooled a report queues up behind it on the disk. So whoever reads a report knows that all of
 * its visits are in Kafka.
 */
export class AuditReporter {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly audit: SourceAudit,
    private readonly parts: AuditReporterParts,
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.report(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Reports the minutes that are over and whose visits are all settled. Never throws. */
  report(): Promise<void> {
    const nowMs = (this.parts.nowMs ?? Date.now)();
    const settledUpTo = this.parts.publisher.oldestUnsettledMs ?? Number.POSITIVE_INFINITY;
    return this.#next(() => this.audit.due(Math.min(nowMs - REPORT_AFTER_MS, settledUpTo)));
  }

  /** The last word of this process; call it when every visit is settled, before the spool is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#next(() => this.audit.last((this.parts.nowMs ?? Date.now)()));
  }

  #next(reports: () => SourceAuditV1[]): Promise<void> {
    this.#running = this.#running.then(() => this.#publish(reports));
    return this.#running;
  }

  /** Never throws: whatever it met, the next look comes after it. */
  async #publish(due: () => SourceAuditV1[]): Promise<void> {
    try {
      const reports = due();
      if (reports.length === 0) return;
      const records = reports.map((report) => auditRecord(report, this.parts.topic));
      if (!(await this.#toKafka(records))) await this.parts.spool.append(records);
      this.audit.reported(reports);
    } catch (error) {
      // They stay due: the next look tries again, as long as this process lives.
      this.parts.logger.warn({ err: error }, 'audit records are not durable yet');
    }
  }

  async #toKafka(records: VisitRecord[]): Promise<boolean> {
    const { kafka, spool, state, topic } = this.parts;
    if (!state.isUp || spool.hasWork) return false;
    return kafka.publish(topic, records, { partition: 'rotate' }).then(
      () => true,
      () => false, // they go to the spool; the publisher counts its failures
    );
  }
}

function auditRecord(report: SourceAuditV1, topic: string): VisitRecord {
  return { key: report.source, value: JSON.stringify(report), headers: NO_HEADERS, topic };
}
