import { loadSql, type Queryable } from '@hopcount/postgres';

import { toIso } from '../buckets.js';
import { REPORT_EXPECTED_WITHIN_MS } from './audit-reconciler.js';

const AUDITS_BY_VERSION = loadSql(import.meta.url, 'sql/audits-by-version.sql');

/** What became of the visits of one version of the gateway: its processes' reports, held against what was counted. */
export interface VersionAudit {
  /** Empty: of processes that did not say theirs yet. */
  version: string;
  /** Processes that reported. */
  sources: number;
  /** Made durable, as reported. */
  visits: number;
  /** Of these in minutes that are settled and right. */
  settledVisits: number;
  equalMinutes: number;
  inDoubtMinutes: number;
  differentMinutes: number;
  openMinutes: number;
  /** Neither counted nor a dead letter. */
  missingVisits: number;
  surplusVisits: number;
  /** Redirects answered although nothing could hold the visit, and requests refused for that reason. */
  answeredVisits: number;
  refusedVisits: number;
  /** Counted minutes that a process passed over although it spoke later. */
  unreportedMinutes: number;
  /** Of processes never heard of again: killed. */
  unauditedMinutes: number;
  unauditedVisits: number;
  /** Visits the consumers refused and nobody has put back. */
  deadLetters: number;
}

/** Of the minutes since then; one entry for each version that was seen. */
export function auditsByVersion(queryable: Queryable, sinceMs: number, nowMs: number): Promise<VersionAudit[]> {
  return queryable.query<VersionAudit>(AUDITS_BY_VERSION, [toIso(sinceMs), toIso(nowMs - REPORT_EXPECTED_WITHIN_MS)]);
}
