import { beyondLedger, type DeadLetterReason, decodeVisitEvent, eventIdTimeMs } from '@hopcount/contracts';
import { type Queryable, loadSql } from '@hopcount/postgres';

const JUDGE_VISITS = loadSql(import.meta.url, 'sql/judge-visits.sql');

const LARGEST_BIGINT = 9_223_372_036_854_775_807n;

export interface JudgedVisit {
  eventId: string;
  occurredAtMs: number;
  linkId: string;
}

/**
 * What the consumer would do with a record, without doing it: `missing` would be counted, `counted`
 * changes nothing, `purged` is kept out by a purge of its link, `refused` would become a dead letter.
 */
export type Verdict =
  { kind: 'missing' | 'counted' | 'purged'; visit: JudgedVisit } | { kind: 'refused'; reason: DeadLetterReason };

/** The rules are those of the consumer's decoding; the ledger is only asked. */
export class VisitJudge {
  constructor(
    private readonly queryable: Queryable,
    private readonly options: { ledgerDays: number; nowMs?: () => number },
  ) {}

  /** One verdict for each value, in their order. */
  async judge(values: readonly (Buffer | null)[]): Promise<Verdict[]> {
    const nowMs = this.options.nowMs?.() ?? Date.now();
    const decoded = values.map((value) => decode(value, nowMs, this.options.ledgerDays));
    const verdicts = await this.#ask(decoded.filter(isVisit));
    return decoded.map((one) => (isVisit(one) ? verdictOf(one, verdicts.shift()) : one));
  }

  async #ask(visits: readonly JudgedVisit[]): Promise<LedgerVerdict[]> {
    if (visits.length === 0) return [];
    const rows = await this.queryable.query<{ verdict: LedgerVerdict }>(JUDGE_VISITS, [
      visits.map((visit) => new Date(visit.occurredAtMs).toISOString()),
      visits.map((visit) => visit.eventId),
      visits.map((visit) => visit.linkId),
    ]);
    return rows.map((row) => row.verdict);
  }
}

type LedgerVerdict = 'missing' | 'counted' | 'purged' | 'dropped';

function verdictOf(visit: JudgedVisit, verdict: LedgerVerdict | undefined): Verdict {
  if (verdict === undefined) throw new Error('judge-visits.sql answers one row for each visit');
  return verdict === 'dropped' ? { kind: 'refused', reason: 'older-than-ledger' } : { kind: verdict, visit };
}

type Decoded = JudgedVisit | Extract<Verdict, { kind: 'refused' }>;

function isVisit(decoded: Decoded): decoded is JudgedVisit {
  return 'eventId' in decoded;
}

function decode(value: Buffer | null, nowMs: number, ledgerDays: number): Decoded {
  const decoded = decodeVisitEvent(value);
  if (decoded.outcome === 'dead-letter') return { kind: 'refused', reason: decoded.reason };
  const { eventId, linkId } = decoded.visit;
  const occurredAtMs = eventIdTimeMs(eventId);
  const beyond = beyondLedger(occurredAtMs, nowMs, ledgerDays);
  if (beyond !== null) return { kind: 'refused', reason: beyond.reason };
  // What PostgreSQL cannot hold: a number beyond bigint, NUL in a text.
  const storable = BigInt(linkId) <= LARGEST_BIGINT && !JSON.stringify(decoded.visit).includes('\\u0000');
  return storable ? { eventId, occurredAtMs, linkId } : { kind: 'refused', reason: 'unstorable' };
}
