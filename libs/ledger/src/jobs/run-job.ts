import { randomUUID } from 'node:crypto';

import type { JobKind } from '@hopcount/contracts';
import { isServerAway } from '@hopcount/postgres';
import { AppError, type Logger, type PartProgress, type ShowsProgress } from '@hopcount/runtime';

import type { ClaimedJob, JobCounts, JobParameters, JobProgress, OperatorJobs } from './operator-jobs.js';

/** A run that is not the job's any more ends within this, and shows how far it is as often. */
const TELL_EVERY_MS = 1_000;
/** Before it a rate would be of nothing. */
const RATE_FROM_MS = 1_000;

export interface JobRun {
  parameters: JobParameters;
  createdAt: Date;
  /** As the run before left it; empty: it is the first one. */
  checkpoint: Record<string, unknown>;
  /** Its row in the audit of operators; null while only a plan is made. */
  actionId: string | null;
  /** Throws at its next word when the job was paused, cancelled or taken by another worker. */
  shown: ShowsProgress;
  /** Aborted then, or when the worker stops. */
  signal: AbortSignal;
  /** Throws, too. */
  keep: (checkpoint: object, counts: JobCounts) => Promise<void>;
}

export interface JobWork {
  /** What would change. Nothing is. */
  plan(run: JobRun): Promise<JobCounts>;
  /** Right when a part of it is done twice: a run may end anywhere, and the next one begins at the checkpoint. */
  run(run: JobRun): Promise<{ outcome: 'done' | 'mismatch'; counts: JobCounts }>;
}

/** Plans or runs the oldest job of the kind that waits for a worker. @returns whether there was one */
export async function runJob(
  { jobs, kind, logger }: { jobs: OperatorJobs; kind: JobKind; logger: Pick<Logger, 'warn' | 'info'> },
  stopping: AbortSignal,
  workOf: (signal: AbortSignal) => Promise<JobWork & AsyncDisposable>,
): Promise<boolean> {
  const holder = randomUUID();
  const job = await jobs.claim(kind, holder);
  if (job === undefined) return false;
  const held = new HeldJob(jobs, job, holder, logger);
  const stop = () => held.stop();
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  try {
    await using work = await workOf(held.signal);
    if (job.state === 'planning') await jobs.planned(job.id, holder, await work.plan(held.run));
    else await jobs.end(job.id, holder, { ...(await work.run(held.run)), error: null });
    logger.info({ job: job.id, kind, was: job.state }, 'a job of an operator is done or planned');
  } catch (error) {
    if (held.signal.aborted) await jobs.release(job.id, holder);
    // Something that it needs is away, PostgreSQL perhaps: it stays this holder's, who is silent now, so it is taken up again in a
    // minute, and given up like one that ends its workers.
    else if (!isServerAway(error)) {
      await jobs.end(job.id, holder, { outcome: 'failed', counts: held.counts, error: (error as Error).message });
    }
    if (!held.signal.aborted) throw error;
  } finally {
    held.close();
    stopping.removeEventListener('abort', stop);
  }
  return true;
}

/** A job while this worker is at it. */
class HeldJob {
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #progress: JobProgress = { step: '', done: 0, total: null, perSecond: null };
  counts: JobCounts;

  constructor(
    private readonly jobs: OperatorJobs,
    private readonly job: ClaimedJob,
    private readonly holder: string,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.counts = job.counts;
    this.#timer = setInterval(() => this.#tell(), TELL_EVERY_MS);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get run(): JobRun {
    const { parameters, createdAt, checkpoint, actionId } = this.job;
    const shown = { startProgress: (what: string, total?: number | bigint) => this.#startPart(what, total) };
    return {
      parameters,
      createdAt,
      checkpoint,
      actionId,
      shown,
      signal: this.signal,
      keep: (at, counts) => this.#keep(at, counts),
    };
  }

  stop(): void {
    this.#lost.abort(new AppError('job-conflict', `Job ${this.job.id} is not this worker's any more.`));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Only what is kept may be left out by the next run, so nothing else is done before. */
  async #keep(checkpoint: object, counts: JobCounts): Promise<void> {
    this.signal.throwIfAborted();
    this.counts = counts;
    if (!(await this.jobs.checkpoint(this.job.id, this.holder, checkpoint, counts))) this.stop();
    this.signal.throwIfAborted();
  }

  #tell(): void {
    this.jobs.tell(this.job.id, this.holder, this.#progress).then(
      (isHeld) => isHeld || this.stop(),
      (error: unknown) =>
        this.logger.warn({ err: error, job: this.job.id }, 'the progress of a job could not be written'),
    );
  }

  #startPart(what: string, of?: number | bigint): PartProgress {
    const beganAtMs = performance.now();
    const show = (done: number, total: number | null, doing?: string) => {
      this.signal.throwIfAborted();
      const elapsedMs = performance.now() - beganAtMs;
      const perSecond = elapsedMs < RATE_FROM_MS ? null : (done * 1_000) / elapsedMs;
      this.#progress = { step: doing === undefined ? what : `${what}: ${doing}`, done, total, perSecond };
    };
    let known = of === undefined ? null : Number(of);
    show(0, known);
    return {
      at: (done, { total, doing } = {}) => show(done, (known = total ?? known), doing),
      end: (done = this.#progress.done) => show(done, done),
    };
  }
}
