import { type Database, loadSql } from '@hopcount/postgres';

const CLAIM = loadSql(import.meta.url, 'sql/claim-request.sql');
const LIST = loadSql(import.meta.url, 'sql/list-requests.sql');
const LOCK = `SELECT pg_advisory_xact_lock(hashtext('verification-requests'))`;
const INSERT = `INSERT INTO operator_actions (command, arguments, operator)
  SELECT 'verify', '{}', $1 WHERE NOT EXISTS (SELECT FROM operator_actions WHERE command = 'verify' AND ended_at IS NULL)`;
const HEARD = `UPDATE operator_actions SET counts = counts || jsonb_build_object('heardAt', now(), 'step', $3::text)
  WHERE id = $1 AND counts ->> 'holder' = $2 AND ended_at IS NULL`;
/** Of workers that fell silent. */
const MAX_CLAIMS = 3;
const GIVE_UP = `UPDATE operator_actions SET ended_at = now(), outcome = 'failed', counts = '{}',
    error = 'Three workers fell silent at it. Do they run out of memory? See their logs.'
  WHERE command = 'verify' AND ended_at IS NULL AND (counts ->> 'claims')::integer >= ${MAX_CLAIMS}
    AND (counts ->> 'heardAt')::timestamptz < now() - interval '1 minute'`;
const RELEASE = `UPDATE operator_actions SET counts = '{}' WHERE id = $1 AND counts ->> 'holder' = $2 AND ended_at IS NULL`;
const END = `UPDATE operator_actions SET ended_at = now(), outcome = $3, counts = $4::jsonb, error = $5
  WHERE id = $1 AND counts ->> 'holder' = $2 AND ended_at IS NULL`;

export interface VerificationRequest {
  id: string;
  /** waiting → running → done, mismatch or failed; running → broken-off (its worker is silent) → running. */
  state: 'waiting' | 'running' | 'broken-off' | 'done' | 'mismatch' | 'failed';
  startedBy: string;
  startedAt: Date;
  endedAt: Date | null;
  step: string | null;
  visits: number | null;
  differences: number | null;
  error: string | null;
}

export type VerificationEnd =
  | { outcome: 'done' | 'mismatch'; counts: { visits: number; differences: number } }
  | { outcome: 'failed'; error: string };

/**
 * Verifications that a worker makes for whoever asked, in the audit rows of operators: one open at a time, and one worker at
 * it, which says every few seconds that it lives. Another one begins anew when it does not; nothing is changed by verifying.
 */
export class VerificationRequests {
  constructor(private readonly database: Database) {}

  /** While one is open nothing is added. */
  async add(startedBy: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      await tx.query(INSERT, [startedBy]);
    });
  }

  list(limit: number): Promise<VerificationRequest[]> {
    return this.database.query<VerificationRequest>(LIST, [limit]);
  }

  /** What ends its workers is taken three times, not for ever. @returns its id; undefined when there is nothing to do */
  async claim(holder: string): Promise<string | undefined> {
    await this.database.query(GIVE_UP);
    return (await this.database.query<{ id: string }>(CLAIM, [holder]))[0]?.id;
  }

  /** @returns whether it is still this holder's */
  async heard(id: string, holder: string, step: string): Promise<boolean> {
    return (await this.database.execute(HEARD, [id, holder, step])).affected > 0;
  }

  /** For another worker, at once. */
  async release(id: string, holder: string): Promise<void> {
    await this.database.query(RELEASE, [id, holder]);
  }

  async end(id: string, holder: string, end: VerificationEnd): Promise<void> {
    const [counts, error] = end.outcome === 'failed' ? [{}, end.error.slice(0, 2_000)] : [end.counts, null];
    await this.database.query(END, [id, holder, end.outcome, JSON.stringify(counts), error]);
  }
}
