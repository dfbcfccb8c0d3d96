import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { type Losses, readLosses } from '../commit/losses.js';
import { toIso } from '../buckets.js';
import { checkFolds } from './check-folds.js';
import { type CheckName, type Difference, findDifferences, MAX_DIFFERENCES, type Scope } from './checks.js';

export type { Difference } from './checks.js';

/** A whole ledger is read here: no statement limit, and no compiling of plans that run once. */
const PREPARE_SNAPSHOT = `SELECT set_config('statement_timeout', '0', true), set_config('jit', 'off', true),
  set_config('work_mem', '64MB', true)`;
const COUNT_AUDITS = loadSql(import.meta.url, 'sql/count-audits.sql');
const READ_SCOPE = loadSql(import.meta.url, 'sql/read-scope.sql');

export interface VerifyOptions {
  linkId?: string | undefined;
  /** Called with what is being checked now, for people who watch. */
  onProgress?: ((step: string) => void) | undefined;
  /** `off`: totals are not held in slots (SLOTS=off), so slots are not looked at. */
  slots?: 'on' | 'off' | undefined;
}

interface AuditCounts {
  /** Minutes of gateways held against what was counted. */
  settled: number;
  /** Reported, but their visits may still be on their way; or reported by a process nobody counted yet. */
  open: number;
  /** Counted minutes without a report: of a process that was killed, or that has yet to report them. */
  unauditedMinutes: number;
  unauditedVisits: number;
}

export interface VerificationReport {
  /** At most 1,000 of each check. */
  differences: Difference[];
  /** How many of each there were to compare. */
  checked: {
    visits: number;
    buckets: number;
    sourceMinutes: number;
    /** Gateways' own reports; all 0 when only one link is looked at. */
    audits: AuditCounts;
    slots: number;
    totals: number;
    folds: number;
    /** Folds whose checksum no longer holds: the reader ignores them, the folder replaces them. */
    staleFolds: number;
  };
  /** What retention removed before it was counted: nothing to compare, but not in any number either. */
  lost: Losses;
  /** Checks that could not be made, each with the reason. */
  skipped: string[];
}

/**
 * Recomputes every kept number from the ledger and reports what differs. One snapshot, so it may run
 * while visits are being counted; PostgreSQL does the comparing, so a large ledger needs no memory here.
 */
export class StatisticsVerifier {
  constructor(private readonly database: Database) {}

  async verify(options: VerifyOptions = {}): Promise<VerificationReport> {
    return this.database.transaction((tx) => verifySnapshot(tx, options), {
      isolation: 'REPEATABLE READ',
      readOnly: true,
    });
  }
}

const NO_AUDITS: AuditCounts = { settled: 0, open: 0, unauditedMinutes: 0, unauditedVisits: 0 };

interface ScopeRow {
  kept_from: Date | null;
  audited_from: Date | null;
  pending_changes: number;
  visits: number;
  buckets: number;
  slots: number;
  folds: number;
  totals: number;
  source_minutes: number;
}

async function verifySnapshot(tx: Transaction, options: VerifyOptions): Promise<VerificationReport> {
  await tx.query(PREPARE_SNAPSHOT);
  const linkId = options.linkId ?? null;
  const [row] = await tx.query<ScopeRow>(READ_SCOPE, [linkId]);
  if (row === undefined) throw new Error('the scope statement always answers one row');
  const scope: Scope = { linkId, keptFrom: instantOf(row.kept_from), auditedFrom: instantOf(row.audited_from) };
  const differences: Difference[] = [];
  const run = async (step: string, check: CheckName) => {
    options.onProgress?.(step);
    differences.push(...(await findDifferences(tx, check, scope)));
  };
  await run(`${row.visits} visits: event ids`, 'event-ids');
  await run('purges', 'purges');
  await run(`${row.buckets} buckets`, 'buckets');
  let audits = NO_AUDITS;
  if (linkId === null) {
    await run(`${row.source_minutes} minutes of sources`, 'sources');
    audits = (await tx.query<AuditCounts>(COUNT_AUDITS, [scope.auditedFrom]))[0] ?? NO_AUDITS;
    await run(`${audits.settled} reports of gateways`, 'audits');
  }
  if (checksSlots(row, options)) await run(`${row.slots} slots`, 'slots');
  if (row.kept_from === null) await run(`${row.totals} totals`, 'totals');
  options.onProgress?.(`${row.folds} folds`);
  const folds = await checkFolds(tx, scope, options.onProgress);
  differences.push(...folds.differences.slice(0, MAX_DIFFERENCES));
  return {
    differences,
    checked: {
      visits: row.visits,
      buckets: row.buckets,
      sourceMinutes: row.source_minutes,
      audits,
      slots: checksSlots(row, options) ? row.slots : 0,
      totals: row.kept_from === null ? row.totals : 0,
      folds: folds.checked,
      staleFolds: folds.stale,
    },
    lost: await readLosses(tx),
    skipped: skippedChecks(row, options),
  };
}

function instantOf(from: Date | null): string {
  return from === null ? '-infinity' : toIso(from.getTime());
}

function checksSlots(row: ScopeRow, options: VerifyOptions): boolean {
  return options.slots !== 'off' && row.kept_from === null;
}

function skippedChecks(row: ScopeRow, options: VerifyOptions): string[] {
  const skipped: string[] = [];
  if (options.slots === 'off') skipped.push('slots: SLOTS=off');
  if (row.kept_from !== null) {
    const since = toIso(row.kept_from.getTime());
    skipped.push(`slots and totals: the ledger was expired up to ${since}`, `everything before ${since}`);
  }
  if (row.pending_changes > 0) skipped.push(`totals of links in ${row.pending_changes} unprocessed changes`);
  return skipped;
}
