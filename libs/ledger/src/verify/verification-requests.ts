import { type Database, loadSql } from '@hopcount/postgres';

import { OperatorJobs } from '../jobs/operator-jobs.js';

const LIST = loadSql(import.meta.url, 'sql/list-requests.sql');

export interface VerificationRequest {
  id: string;
  /** waiting → running ⇄ paused → done, mismatch or failed; running → broken-off (its worker is silent) → running. */
  state: 'waiting' | 'running' | 'paused' | 'broken-off' | 'done' | 'mismatch' | 'failed';
  startedBy: string;
  startedAt: Date;
  endedAt: Date | null;
  step: string | null;
  visits: number | null;
  differences: number | null;
  error: string | null;
}

/** Verifications as jobs that are started without a plan: nothing would be changed. */
export class VerificationRequests {
  readonly #jobs: OperatorJobs;

  constructor(private readonly database: Database) {
    this.#jobs = new OperatorJobs(database);
  }

  /** While one is open nothing is added. */
  async add(startedBy: string): Promise<void> {
    await this.#jobs.startNow('verify', startedBy);
  }

  list(limit: number): Promise<VerificationRequest[]> {
    return this.database.query<VerificationRequest>(LIST, [limit]);
  }
}
