import type { SurgeExplanation } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

const LIST_ALERTS = loadSql(import.meta.url, 'sql/list-alerts.sql');

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

/** Surges of hosts as the worker told them. */
export class HostAlerts {
  constructor(private readonly database: Database) {}

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
