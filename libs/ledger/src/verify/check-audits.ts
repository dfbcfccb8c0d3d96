import { loadSql, type Transaction } from '@hopcount/postgres';

import { type Difference, MAX_DIFFERENCES, type Scope } from './checks.js';

const CHECK_AUDITS = loadSql(import.meta.url, 'sql/check-audits.sql');
const COUNT_AUDITS = loadSql(import.meta.url, 'sql/count-audits.sql');

export interface AuditCounts {
  /** Minutes of gateways held against what was counted. */
  settled: number;
  /** Reported, but their visits may still be on their way; or reported by a process nobody counted yet. */
  open: number;
  /** Counted minutes without a report: of a process that was killed, or that has yet to report them. */
  unauditedMinutes: number;
  unauditedVisits: number;
}

/** `expected` is what the gateway says it made durable (null: it passed the minute over), `actual` what is accounted for. */
export async function checkAudits(tx: Transaction, scope: Scope): Promise<Difference[]> {
  const rows = await tx.query<{ source: string; minute: Date; expected: unknown; actual: unknown }>(CHECK_AUDITS, [
    scope.keptFrom,
    MAX_DIFFERENCES,
  ]);
  return rows.map((row) => ({
    check: 'audits',
    linkId: null,
    unit: `${row.source} ${row.minute.toISOString()}`,
    expected: row.expected ?? 'no report',
    actual: row.actual,
  }));
}

export async function countAudits(tx: Transaction, scope: Scope): Promise<AuditCounts> {
  const [row] = await tx.query<Record<string, number>>(COUNT_AUDITS, [scope.keptFrom]);
  return {
    settled: row?.['settled'] ?? 0,
    open: row?.['open'] ?? 0,
    unauditedMinutes: row?.['unaudited_minutes'] ?? 0,
    unauditedVisits: row?.['unaudited_visits'] ?? 0,
  };
}
