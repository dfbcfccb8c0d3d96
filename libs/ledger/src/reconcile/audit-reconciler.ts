import { type Database, loadSql, type Queryable } from '@hopcount/postgres';

import { toIso } from '../buckets.js';
import { CountedUpTo, type CountedUpToOptions } from './counted-up-to.js';

const SETTLE_AUDITS = loadSql(import.meta.url, 'sql/settle-audits.sql');
const SUMMARISE_AUDITS = loadSql(import.meta.url, 'sql/summarise-audits.sql');

/** A minute without a report is not waited for any longer than this after it began. */
export const REPORT_EXPECTED_WITHIN_MS = 10 * 60_000;

export interface ReconcilerOptions extends CountedUpToOptions {
  nowMs?: () => number;
}

export interface AuditSummary {
  /** Visits a gateway made durable that were neither counted nor refused. */
  missingVisits: number;
  /** Visits counted beyond what their gateway knows of. */
  surplusVisits: number;
  /** Minutes of processes in which counts or checksums differ. */
  differentMinutes: number;
  /** Counted minutes a process did not report although it reported a later one. */
  unreportedMinutes: number;
  /** Counted minutes whose process was never heard of again: it was killed. */
  unauditedMinutes: number;
  unauditedVisits: number;
  /** Reports whose visits may still be on their way. */
  openMinutes: number;
  /** Redirects answered although nothing could hold their visit. */
  answeredVisits: number;
}

/**
 * Holds what gateways say they made durable against what was counted. A report is published after its
 * visits; so the visits of every report received by now lie below the log's ends as they are now, and
 * once the checkpoints have passed those ends, what is not counted will never be by itself. No clock
 * decides, only this order; until then a report is open.
 */
export class AuditReconciler {
  readonly #counted: CountedUpTo;

  constructor(
    private readonly database: Database,
    private readonly options: ReconcilerOptions,
  ) {
    this.#counted = new CountedUpTo(database, options);
  }

  /** Settles what can be settled now; what cannot is settled by a later run. @throws when Kafka cannot be asked. */
  async run(): Promise<AuditSummary> {
    const receivedUpTo = await this.#counted.measure();
    if (receivedUpTo !== undefined) await this.database.query(SETTLE_AUDITS, [toIso(receivedUpTo)]);
    return summariseAudits(this.database, (this.options.nowMs ?? Date.now)());
  }
}

export async function summariseAudits(queryable: Queryable, nowMs: number): Promise<AuditSummary> {
  const before = toIso(nowMs - REPORT_EXPECTED_WITHIN_MS);
  const [summary] = await queryable.query<AuditSummary>(SUMMARISE_AUDITS, [before]);
  if (summary === undefined) throw new Error('summarise-audits.sql answers one row');
  return summary;
}
