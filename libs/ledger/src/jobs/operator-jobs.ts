import type { JobKind, JobState } from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { endAction, insertAction } from '../operations/operator-action.js';

const LIST = loadSql(import.meta.url, 'sql/list-jobs.sql');
const CLAIM = loadSql(import.meta.url, 'sql/claim-job.sql');
const MOVE = loadSql(import.meta.url, 'sql/move-job.sql');
/** Of those who add and start: so that the second one sees what the first one did. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtext('operator-jobs'))`;
const COUNT_PLANNING = `SELECT count(*)::integer AS jobs FROM operator_jobs WHERE state = 'planning'`;
const INSERT = `INSERT INTO operator_jobs (kind, parameters, state, asked_by) VALUES ($1, $2::jsonb, 'planning', $3) RETURNING id::text AS id`;
const FIND_OPEN = `SELECT FROM operator_jobs WHERE kind = $1 AND state = 'running'`;
const INSERT_STARTED = `INSERT INTO operator_jobs (kind, parameters, state, asked_by, started_at, action_id)
  VALUES ($1, '{}', 'running', $2, now(), $3)`;
const SET_ACTION = 'UPDATE operator_jobs SET action_id = $2 WHERE id = $1';
const HELD = `WHERE id = $1 AND holder = $2 AND state IN ('planning', 'running')`;
const TELL = `UPDATE operator_jobs SET heard_at = now(), step = $3, done = $4, total = $5, per_second = $6 ${HELD}`;
const CHECKPOINT = `UPDATE operator_jobs
  SET heard_at = now(), checkpoint = $3::jsonb, counts = $4::jsonb,
    silent_holders = CASE WHEN checkpoint IS DISTINCT FROM $3::jsonb THEN 0 ELSE silent_holders END ${HELD}`;
const PLANNED = `UPDATE operator_jobs
  SET state = 'planned', plan = $3::jsonb, holder = NULL, step = NULL, done = NULL, total = NULL, silent_holders = 0 ${HELD}`;
const END = `UPDATE operator_jobs SET state = $3, ended_at = now(), holder = NULL, step = NULL, counts = $4::jsonb, error = $5
  ${HELD} RETURNING action_id::text AS "actionId"`;
const RELEASE = `UPDATE operator_jobs SET holder = NULL, heard_at = NULL ${HELD}`;
/** Without a checkpoint between them. */
const MAX_SILENT = 3;
const FIND_GIVEN_UP = `SELECT id::text AS id, holder::text AS holder, counts FROM operator_jobs
  WHERE kind = $1 AND state IN ('planning', 'running') AND heard_at < now() - interval '1 minute' AND silent_holders >= ${MAX_SILENT - 1}`;
const GIVEN_UP =
  'Three tries in a row ended without a result: a service was away, or the workers were killed (out of memory?). See their logs.';
/** A plan says what is so now; after a day it is to be made anew. */
const EXPIRE = `DELETE FROM operator_jobs
  WHERE ended_at < now() - interval '30 days' OR state = 'planned' AND coalesce(heard_at, created_at) < now() - interval '1 day'`;
const MAX_PLANNING = 10;

export type JobCounts = Record<string, number>;
export type JobParameters = Record<string, string | number>;

export interface JobRecord {
  id: string;
  kind: JobKind;
  parameters: JobParameters;
  state: JobState;
  askedBy: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  plan: JobCounts | null;
  counts: JobCounts;
  step: string | null;
  done: number | null;
  total: number | null;
  perSecond: number | null;
  secondsLeft: number | null;
  isHeld: boolean;
  error: string | null;
}

export interface ClaimedJob extends Pick<JobRecord, 'id' | 'kind' | 'parameters' | 'counts' | 'createdAt'> {
  state: 'planning' | 'running';
  checkpoint: Record<string, unknown>;
  actionId: string | null;
}

export interface JobProgress {
  step: string;
  done: number;
  total: number | null;
  perSecond: number | null;
}

export interface JobEnd {
  outcome: 'done' | 'mismatch' | 'failed';
  counts: JobCounts;
  error: string | null;
}

/** What the audit log of operators has always called them. */
const COMMANDS: Record<JobKind, string> = {
  rebuild: 'rebuild',
  verify: 'verify',
  redrive: 'dead-letters redrive',
  seal: 'archive seal',
  replay: 'replay',
};

/**
 * planning → planned → running ⇄ paused → done, mismatch, failed or cancelled. A worker holds one while it says so each second,
 * and writes only while it does: whoever pauses or cancels takes it from the worker by the same row.
 */
export class OperatorJobs {
  constructor(private readonly database: Database) {}

  /** @throws AppError `too-many-jobs` */
  async add(kind: JobKind, parameters: JobParameters, askedBy: string): Promise<JobRecord> {
    const id = await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      const [planning] = await tx.query<{ jobs: number }>(COUNT_PLANNING);
      if ((planning?.jobs ?? 0) >= MAX_PLANNING)
        throw new AppError('too-many-jobs', `${MAX_PLANNING} plans are being made. Wait for them, or cancel some.`);
      const [row] = await tx.query<{ id: string }>(INSERT, [kind, JSON.stringify(parameters), askedBy]);
      if (row === undefined) throw new Error('INSERT … RETURNING answers one row');
      return row.id;
    });
    return this.get(id);
  }

  /** Of what changes nothing, so that nobody has to see a plan. While one of the kind is open nothing is added. */
  async startNow(kind: JobKind, operator: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      if ((await tx.query(FIND_OPEN, [kind])).length > 0) return;
      const action = { command: COMMANDS[kind], arguments: {}, operator, clusterId: null };
      await tx.query(INSERT_STARTED, [kind, operator, await insertAction(tx, action)]);
    });
  }

  list(limit: number): Promise<JobRecord[]> {
    return this.database.query<JobRecord>(LIST, [null, limit]);
  }

  /** @throws AppError `job-not-found` */
  async get(id: string): Promise<JobRecord> {
    const [row] = await this.database.query<JobRecord>(LIST, [id, 1]);
    if (row === undefined) throw notFound(id);
    return row;
  }

  /** @throws AppError `job-not-found`, `job-conflict`, as the next ones */
  start(id: string, operator: string): Promise<JobRecord> {
    return this.#move(id, { to: 'running', from: ['planned'], verb: 'started' }, async (tx, { kind, parameters }) => {
      const action = { command: COMMANDS[kind], arguments: { ...parameters, job: id }, operator, clusterId: null };
      await tx.query(SET_ACTION, [id, await insertAction(tx, action)]);
    });
  }

  pause(id: string): Promise<JobRecord> {
    return this.#move(id, { to: 'paused', from: ['running'], verb: 'paused' });
  }

  resume(id: string): Promise<JobRecord> {
    return this.#move(id, { to: 'running', from: ['paused'], verb: 'resumed' });
  }

  /** What was done stays done. */
  cancel(id: string, operator: string): Promise<JobRecord> {
    const from: JobState[] = ['planning', 'planned', 'running', 'paused'];
    return this.#move(id, { to: 'cancelled', from, verb: 'cancelled' }, async (tx, { actionId, counts }) => {
      const error = `Cancelled by ${operator}.`;
      if (actionId !== null) await endAction(tx, actionId, { outcome: 'failed', counts, error });
    });
  }

  async claim(kind: JobKind, holder: string): Promise<ClaimedJob | undefined> {
    const silent = await this.database.query<{ id: string; holder: string; counts: JobCounts }>(FIND_GIVEN_UP, [kind]);
    for (const { id, holder: gone, counts } of silent)
      await this.end(id, gone, { outcome: 'failed', counts, error: GIVEN_UP });
    return (await this.database.query<ClaimedJob>(CLAIM, [kind, holder]))[0];
  }

  /** @returns whether it is still this holder's, as the next ones */
  async tell(id: string, holder: string, { step, done, total, perSecond }: JobProgress): Promise<boolean> {
    return (await this.database.execute(TELL, [id, holder, step, done, total, perSecond])).affected > 0;
  }

  async checkpoint(id: string, holder: string, checkpoint: object, counts: JobCounts): Promise<boolean> {
    const values = [id, holder, JSON.stringify(checkpoint), JSON.stringify(counts)];
    return (await this.database.execute(CHECKPOINT, values)).affected > 0;
  }

  async planned(id: string, holder: string, plan: JobCounts): Promise<void> {
    await this.database.execute(PLANNED, [id, holder, JSON.stringify(plan)]);
  }

  /** Also of its audit row. */
  async end(id: string, holder: string, { outcome, counts, error }: JobEnd): Promise<void> {
    await this.database.transaction(async (tx) => {
      const values = [id, holder, outcome, JSON.stringify(counts), error?.slice(0, 2_000) ?? null];
      const [ended] = await tx.query<{ actionId: string | null }>(END, values);
      if (ended !== undefined && ended.actionId !== null)
        await endAction(tx, ended.actionId, { outcome, counts, error });
    });
  }

  /** For another worker, at once. */
  async release(id: string, holder: string): Promise<void> {
    await this.database.execute(RELEASE, [id, holder]);
  }

  async expire(): Promise<number> {
    return (await this.database.execute(EXPIRE)).affected;
  }

  async #move(
    id: string,
    { to, from, verb }: { to: JobState; from: JobState[]; verb: string },
    besides: (tx: Transaction, job: Moved) => Promise<void> = () => Promise.resolve(),
  ): Promise<JobRecord> {
    await this.database.transaction(async (tx) => {
      await tx.query(LOCK);
      const [moved] = await tx.query<Moved>(MOVE, [id, to, from]);
      if (moved !== undefined) return besides(tx, moved);
      // By the connection that holds the lock: others wait for it, and the pool may have no more.
      const [job] = await tx.query<JobRecord>(LIST, [id, 1]);
      if (job === undefined) throw notFound(id);
      const { kind, state } = job;
      const why = from.includes(state) ? `Another ${kind} is running.` : `It is ${state}.`;
      throw new AppError('job-conflict', `Job ${id} cannot be ${verb}. ${why}`);
    });
    return this.get(id);
  }
}

function notFound(id: string): AppError {
  return new AppError('job-not-found', `There is no job ${id}.`);
}

type Moved = Pick<ClaimedJob, 'kind' | 'parameters' | 'counts' | 'actionId'>;
