import type { SurgeExplanation } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

const LIST_ALERTS = loadSql(import.meta.url, 'sql/list-alerts.sql');
const LIST_EVENTS = loadSql(import.meta.url, 'sql/list-alert-events.sql');

/** Where a list goes on. */
export interface AlertPosition {
  isOpen: boolean;
  id: string;
}

interface AlertRow extends AlertPosition {
  /** Its place in HOST_KINDS. */
  kind: number;
  /** Labels reversed. */
  name: string;
  openedAt: Date;
  escalatedAt: Date | null;
  closedAt: Date | null;
  closedBecause: 'over' | 'lasting' | null;
  visits: number;
  usualVisits: number;
  isNew: boolean;
  explanation: SurgeExplanation | null;
}

/** What was told of a surge, once: that it began, has doubled, or is over. */
export interface HostAlertEvent {
  /** Who searches holds a lock until COMMIT: what is told later has a higher one. */
  id: number;
  /** Of the event that opened it. */
  alertId: string;
  /** Its place in HOST_KINDS. */
  kind: number;
  /** Labels reversed. */
  name: string;
  what: 'opened' | 'escalated' | 'closed';
  at: string;
  visits: number;
  usualVisits: number;
  isNew: boolean;
  closedBecause: 'over' | 'lasting' | null;
  explanation: SurgeExplanation | null;
}

/** Surges of hosts as the worker told them. */
export class HostAlerts {
  constructor(private readonly database: Database) {}

  /** The newest of what was told behind an id (null: nothing), ascending, and the newest id there is. */
  async events(after: number | null, limit: number): Promise<{ head: number; events: HostAlertEvent[] }> {
    const [row] = await this.database.query<{ head: string; events: HostAlertEvent[] }>(LIST_EVENTS, [after, limit]);
    if (row === undefined) throw new Error('a statement without FROM answers one row');
    return { head: Number(row.head), events: row.events };
  }

  /** Open ones first, then the newest. */
  async list(after: AlertPosition | null, limit: number) {
    const values = [after?.isOpen ?? false, after?.id ?? null, limit + 1];
    const rows = await this.database.query<AlertRow>(LIST_ALERTS, values);
    const alerts = rows.slice(0, limit);
    const last = alerts.at(-1);
    return {
      alerts,
      next: rows.length > limit && last !== undefined ? { isOpen: last.isOpen, id: last.id } : null,
    };
  }
}
