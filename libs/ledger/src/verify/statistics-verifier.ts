import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import type { OnStep } from '@hopcount/runtime';

import { type Losses, readLosses } from '../commit/losses.js';
import { toIso } from '../buckets.js';
import { checkFolds } from './check-folds.js';
import {
  ANY_TIME,
  type CheckName,
  type Difference,
  EVER,
  findDifferences,
  type Found,
  MAX_DIFFERENCES,
  type Scope,
} from './checks.js';
import { addDoubts, type Doubt, noteDoubted } from './doubted-sums.js';

export type { Difference } from './checks.js';

/** A whole ledger is read here: no statement limit. */
const PREPARE_SNAPSHOT = `SELECT set_config('statement_timeout', '0', true), set_config('work_mem', '64MB', true)`;
const COUNT_DAYS = loadSql(import.meta.url, 'sql/count-days.sql');
const COUNT_AUDITS = loadSql(import.meta.url, 'sql/count-audits.sql');
const COUNT_LIMITS = loadSql(import.meta.url, 'sql/count-limits.sql');
const READ_SCOPE = loadSql(import.meta.url, 'sql/read-scope.sql');

const READ_STARTS = `SELECT
  greatest($1::timestamptz, (SELECT kept_from FROM ledger_retention))::text AS kept_from,
  greatest($1::timestamptz, (SELECT greatest(kept_from, audited_from) FROM ledger_retention))::text AS audited_from`;

export interface VerifyOptions {
  linkId?: string | undefined;
  /** For people who watch. */
  onStep?: OnStep | undefined;
  /** `off`: totals are not held in slots (SLOTS=off), so slots are not looked at. */
  slots?: 'on' | 'off' | undefined;
  /** The archive is verified as well: it has what the ledger dropped. */
  archived?: boolean | undefined;
  /** Continues an earlier run: only its months are compared. */
  begin?: LedgerSoFar | undefined;
  /** After what is about all time, and after each month; waited for. */
  onPart?: ((soFar: LedgerSoFar) => Promise<void>) | undefined;
}

/** A verification that has months left. */
export interface LedgerSoFar {
  report: VerificationReport;
  months: Period[];
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

interface LimitCounts {
  /** With a limit now. */
  links: number;
  /** Counted without a use, by gateways that did not know of the limit yet: the only way to be over it. */
  lateVisits: number;
  /** Taken, and their visits not counted yet. */
  openUses: number;
  /** Of these, since more than a day: their gateway ended, and nobody knows what it left on its disk. */
  oldUses: number;
}

export interface VerificationReport {
  /** At most 1,000 of each check. */
  differences: Difference[];
  /** Whether sums are in doubt because of them: answers made of these are not exact from now on (see doubted-sums.ts). */
  isDoubted: boolean;
  /** How many of each there were to compare. */
  checked: {
    visits: number;
    buckets: number;
    /** Of all links, domains and groups; 0 when only one link is looked at, as sources. */
    scopeBuckets: number;
    /** Of hosts; 0 when only one link is looked at. */
    hostBuckets: number;
    /** Quarter hours whose sums by group and host still have what was purged after their month was dropped. */
    unattributedBuckets: number;
    /** Days with aggregates made from files; stale ones are made again. 0 when only one link is looked at. */
    days: number;
    staleDays: number;
    sourceMinutes: number;
    /** Gateways' own reports; all 0 when only one link is looked at. */
    audits: AuditCounts;
    slots: number;
    totals: number;
    folds: number;
    /** Folds whose checksum no longer holds: the reader ignores them, the folder replaces them. */
    staleFolds: number;
    limits: LimitCounts;
  };
  /** What retention removed before it was counted: nothing to compare, but not in any number either. */
  lost: Losses;
  /** Checks that could not be made, each with the reason. */
  skipped: string[];
}

/**
 * Recomputes every kept number from the ledger and reports what differs, while visits are being counted. Buckets and
 * sources are compared a month at a time, each in a snapshot of its own; what is about all time is in one. PostgreSQL
 * does the comparing, so a large ledger needs no memory here. Differences are noted as doubts before they are reported.
 */
export class StatisticsVerifier {
  constructor(private readonly database: Database) {}

  async verify(options: VerifyOptions = {}): Promise<VerificationReport> {
    const { begin, onPart = () => Promise.resolve() } = options;
    const steps = new Steps(options.onStep);
    if (begin !== undefined) steps.total = begin.months.length;
    const { report, months } = begin ?? (await this.#verifyAllTime(options, steps));
    if (begin === undefined) await onPart({ report, months });
    let listed = 0;
    for (const [n, month] of months.entries()) {
      steps.next(`buckets and sources from ${month.from}`);
      const found = await this.#inSnapshot((tx) => verifyMonth(tx, month, options));
      report.differences.splice(listed, 0, ...found.differences);
      listed += found.differences.length;
      const isOver = listed > MAX_DIFFERENCES;
      if (isOver) found.doubts.push({ checks: ['buckets'], range: ANY_TIME });
      report.isDoubted = (await this.#note(found.doubts)) || report.isDoubted;
      await onPart({ report, months: isOver ? [] : months.slice(n + 1) });
      if (isOver) break;
    }
    return report;
  }

  async #verifyAllTime(options: VerifyOptions, steps: Steps): Promise<LedgerSoFar> {
    const { months, doubts, ...report } = await this.#inSnapshot((tx) => verifyAllTime(tx, options, steps));
    return { report: { ...report, isDoubted: await this.#note(doubts) }, months };
  }

  /** Compares sums of links, scopes and hosts with the visits of a range that the ledger has. */
  async verifyRange({ from, to }: Period): Promise<Difference[]> {
    const found = await this.#inSnapshot(async (tx) => {
      const scope = await readScopeOf(tx, { from, to });
      const all: Found = { differences: [], doubts: [] };
      for (const check of ['buckets', 'scopes', 'hosts'] as const) add(all, await findDifferences(tx, check, scope));
      return all;
    });
    await this.#note(found.doubts);
    return found.differences;
  }

  async #note(doubts: readonly Doubt[]): Promise<boolean> {
    const doubt = addDoubts(...doubts);
    if (doubt !== undefined) await noteDoubted(this.database, doubt);
    return doubt !== undefined;
  }

  #inSnapshot<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.database.transaction(
      async (tx) => {
        await tx.query(PREPARE_SNAPSHOT);
        return work(tx);
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

/** As PostgreSQL reads them. */
export interface Period {
  from: string;
  to: string;
}

const ALL_TIME: Period = { from: EVER, to: 'infinity' };

/** They touch, and the first and the last have no end: what lies outside of the visits is compared, too. */
function monthsOf(visited: { first: Date; last: Date } | undefined): Period[] {
  if (visited === undefined) return [ALL_TIME];
  const cuts: string[] = [];
  const cut = new Date(Date.UTC(visited.first.getUTCFullYear(), visited.first.getUTCMonth() + 1));
  for (; cut <= visited.last; cut.setUTCMonth(cut.getUTCMonth() + 1)) cuts.push(toIso(cut.getTime()));
  const [starts, ends] = [
    [ALL_TIME.from, ...cuts],
    [...cuts, ALL_TIME.to],
  ];
  return starts.map((from, index) => ({ from, to: ends[index] ?? ALL_TIME.to }));
}

async function verifyMonth(tx: Transaction, month: Period, options: VerifyOptions): Promise<Found> {
  const scope = await readScopeOf(tx, month, options.linkId);
  const found = await findDifferences(tx, 'buckets', scope);
  if (scope.linkId === null) add(found, await findDifferences(tx, 'sources', scope));
  return found;
}

/** What the ledger has of a part of all time: read anew, as a month may have been dropped since. */
async function readScopeOf(tx: Transaction, { from, to }: Period, linkId: string | null = null): Promise<Scope> {
  const [row] = await tx.query<{ kept_from: string; audited_from: string }>(READ_STARTS, [from]);
  if (row === undefined) throw new Error('a statement without FROM answers one row');
  return { linkId, keptFrom: row.kept_from, auditedFrom: row.audited_from, from: row.kept_from, before: to };
}

function add(sum: Found, { differences, doubts }: Found): void {
  sum.differences.push(...differences);
  sum.doubts.push(...doubts);
}

const NO_AUDITS: AuditCounts = { settled: 0, open: 0, unauditedMinutes: 0, unauditedVisits: 0 };

interface ScopeRow {
  kept_from: Date | null;
  audited_from: Date | null;
  first_visit: Date | null;
  last_visit: Date | null;
  pending_changes: number;
  visits: number;
  buckets: number;
  slots: number;
  folds: number;
  totals: number;
  source_minutes: number;
  scope_buckets: number;
  host_buckets: number;
  unattributed_buckets: number;
}

type NamedCheck = [doing: string, check: CheckName];

class Steps {
  #done = -1;
  total = 0;

  constructor(private readonly onStep: OnStep = () => undefined) {}

  next(doing: string): void {
    this.#done += 1;
    this.now(doing);
  }

  /** Of the same step. */
  now(doing: string): void {
    this.onStep(doing, this.#done, this.total);
  }
}

async function verifyAllTime(tx: Transaction, options: VerifyOptions, steps: Steps) {
  const linkId = options.linkId ?? null;
  const [row] = await tx.query<ScopeRow>(READ_SCOPE, [linkId]);
  if (row === undefined) throw new Error('the scope statement always answers one row');
  const scope: Scope = { linkId, ...startsOf(row), from: ALL_TIME.from, before: ALL_TIME.to };
  const found: Found = { differences: [], doubts: [] };
  let [audits, days] = [NO_AUDITS, { days: 0, stale: 0 }];
  if (linkId === null) {
    days = (await tx.query<typeof days>(COUNT_DAYS))[0] ?? days;
    audits = (await tx.query<AuditCounts>(COUNT_AUDITS, [scope.auditedFrom]))[0] ?? NO_AUDITS;
  }
  const sums = linkId === null ? sumsOfAll(row, audits, days) : [];
  const checks: NamedCheck[] = [...checksOfEach(row), ...sums, ...totalsOf(row, options)];
  const months = linkId === null ? monthsOf(visitedIn(row)) : [ALL_TIME];
  // And the folds.
  steps.total = checks.length + 1 + months.length;
  for (const [doing, check] of checks) {
    steps.next(doing);
    add(found, await findDifferences(tx, check, scope));
  }
  steps.next(`${row.folds} folds`);
  const folds = await checkFolds(tx, scope, (doing) => steps.now(doing));
  add(found, { ...folds, differences: folds.differences.slice(0, MAX_DIFFERENCES) });
  return {
    ...found,
    checked: {
      visits: row.visits,
      buckets: row.buckets,
      scopeBuckets: row.scope_buckets,
      hostBuckets: row.host_buckets,
      unattributedBuckets: row.unattributed_buckets,
      days: days.days,
      staleDays: days.stale,
      sourceMinutes: row.source_minutes,
      audits,
      slots: options.slots === 'off' ? 0 : row.slots,
      totals: row.totals,
      folds: folds.checked,
      staleFolds: folds.stale,
      limits: await countLimits(tx, linkId),
    },
    lost: await readLosses(tx),
    skipped: skippedChecks(row, options),
    months,
  };
}

function visitedIn({ first_visit: first, last_visit: last }: ScopeRow) {
  return first === null || last === null ? undefined : { first, last };
}

function checksOfEach(row: ScopeRow): NamedCheck[] {
  return [
    [`${row.visits} visits: event ids`, 'event-ids'],
    ['purges', 'purges'],
    ['limits', 'limits'],
  ];
}

function totalsOf(row: ScopeRow, { slots }: VerifyOptions): NamedCheck[] {
  const totals: NamedCheck = [`${row.totals} totals`, 'totals'];
  return slots === 'off' ? [totals] : [[`${row.slots} slots`, 'slots'], totals];
}

function sumsOfAll(row: ScopeRow, audits: AuditCounts, { days }: { days: number }): NamedCheck[] {
  return [
    [`${row.scope_buckets} buckets of scopes`, 'scopes'],
    [`${row.host_buckets} buckets of hosts`, 'hosts'],
    ['totals of hosts', 'host-totals'],
    ['sums of hosts and all below them', 'host-sums'],
    ['what was fed', 'fed'],
    ['tags', 'tags'],
    [`aggregates of ${days} days`, 'days'],
    [`${audits.settled} reports of gateways`, 'audits'],
  ];
}

async function countLimits(tx: Transaction, linkId: string | null): Promise<LimitCounts> {
  const [row] = await tx.query<LimitCounts>(COUNT_LIMITS, [linkId]);
  if (row === undefined) throw new Error('count-limits.sql answers one row');
  return row;
}

function startsOf({ kept_from: keptFrom, audited_from: auditedFrom }: ScopeRow) {
  return { keptFrom: instantOf(keptFrom), auditedFrom: instantOf(auditedFrom) };
}

function instantOf(from: Date | null): string {
  return from === null ? EVER : toIso(from.getTime());
}

function skippedChecks(row: ScopeRow, options: VerifyOptions): string[] {
  const skipped: string[] = [];
  if (options.slots === 'off') skipped.push('slots: SLOTS=off');
  if (row.kept_from !== null && options.archived !== true) {
    skipped.push(`visits before ${toIso(row.kept_from.getTime())}: the ledger has them no more (see ARCHIVE_URL)`);
  }
  if (row.pending_changes > 0) skipped.push(`totals of links in ${row.pending_changes} unprocessed changes`);
  return skipped;
}
