import { type Database, loadSql } from '@hopcount/postgres';

import { readCheckpoints } from '../commit/partition-progress.js';
import { toIso } from '../buckets.js';

const SETTLE_AUDITS = loadSql(import.meta.url, 'sql/settle-audits.sql');
const SUMMARISE_AUDITS = loadSql(import.meta.url, 'sql/summarise-audits.sql');

/** A minute without a report is not waited for any longer than this after it began. */
export const REPORT_EXPECTED_WITHIN_MS = 10 * 60_000;

/** A partition's log: [low, high); empty when they are equal. */
export interface PartitionLog {
  partition: number;
  low: bigint;
  high: bigint;
}

export interface ReconcilerOptions {
  /** The consumers that count, and the topic they count. */
  group: string;
  topic: string;
  logEnds: () => Promise<PartitionLog[]>;
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
  #waiting: { receivedUpTo: Date; ends: PartitionLog[] } | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: ReconcilerOptions,
  ) {}

  /** Settles what can be settled now; what cannot is settled by a later run. @throws when Kafka cannot be asked. */
  async run(): Promise<AuditSummary> {
    this.#waiting ??= await this.#look();
    const { receivedUpTo, ends } = this.#waiting;
    if (await this.#passed(ends)) {
      await this.database.query(SETTLE_AUDITS, [receivedUpTo.toISOString()]);
      this.#waiting = undefined;
    } else if (isMadeAnew(ends, await this.options.logEnds())) {
      this.#waiting = undefined; // those ends will never be passed
    }
    return this.#summarise();
  }

  /** The database's clock first, the ends after it: `received_at` is from the same clock. */
  async #look() {
    const [row] = await this.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (row === undefined) throw new Error('PostgreSQL told no time');
    return { receivedUpTo: row.now, ends: await this.options.logEnds() };
  }

  async #passed(ends: readonly PartitionLog[]): Promise<boolean> {
    const { group, topic } = this.options;
    const checkpoints = await readCheckpoints(this.database, group, topic);
    const reached = new Map(checkpoints.map(({ partition, nextOffset }) => [partition, nextOffset]));
    return ends.every(({ partition, low, high }) => low === high || (reached.get(partition) ?? 0n) >= high);
  }

  async #summarise(): Promise<AuditSummary> {
    const nowMs = (this.options.nowMs ?? Date.now)();
    const before = toIso(nowMs - REPORT_EXPECTED_WITHIN_MS);
    const [summary] = await this.database.query<AuditSummary>(SUMMARISE_AUDITS, [before]);
    if (summary === undefined) throw new Error('summarise-audits.sql answers one row');
    return summary;
  }
}

/** Whether the topic is another one than when `before` was read: a log never ends earlier than it did. */
function isMadeAnew(before: readonly PartitionLog[], now: readonly PartitionLog[]): boolean {
  const ends = new Map(now.map(({ partition, high }) => [partition, high]));
  return before.some(({ partition, high }) => (ends.get(partition) ?? 0n) < high);
}
