import type { JobLock } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';

import type { WorkerMetrics } from '../worker.metrics.js';

export interface JobDefinition {
  name: string;
  intervalMs: number;
  /** An SQL expression: whether there is anything to do, if that can be told cheaply. See DueJobs. */
  waitsFor?: string;
  /** Right with two of them at once: PostgreSQL fences each, so all go on while Redis is away. */
  work: (signal: AbortSignal) => Promise<void>;
}

/** For `waitsFor`: whether a batch was committed in the last quarter of an hour; its changes of hosts are kept for that long. */
export const VISITS_OF_LATE = 'EXISTS (SELECT FROM host_changes)';

export interface JobRunnerDeps {
  lock: Pick<JobLock, 'runExclusive'>;
  metrics: Pick<WorkerMetrics, 'jobRuns' | 'jobDuration'>;
  logger: Logger;
}

const LEASE_MS = 30_000;
const FIRST_RUN_WITHIN_MS = 10_000;
/** A job for which nothing waits runs so often all the same: for what time alone makes due. */
const IDLE_RUN_MS = 30_000;

/**
 * Runs one job again and again: waiting → running → waiting …, until `stop`. Runs never overlap, the
 * pause carries a tenth of jitter so that processes started together drift apart, and the first run
 * comes soon after the start, at a random moment.
 */
export class IntervalJob {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #endedAtMs = -Infinity;
  readonly #stopping = new AbortController();
  /** Of the run under way. Not AbortSignal.any(): what listens to that stays as long as #stopping (1.2 KB a run, Node 26). */
  #run = new AbortController();

  constructor(
    private readonly job: JobDefinition,
    private readonly deps: JobRunnerDeps,
  ) {}

  get name(): string {
    return this.job.name;
  }

  get intervalMs(): number {
    return this.job.intervalMs;
  }

  get waitsFor(): string | undefined {
    return this.job.waitsFor;
  }

  start(): void {
    this.#schedule(Math.min(this.job.intervalMs, FIRST_RUN_WITHIN_MS) * Math.random());
  }

  /** Tells a running job to end and waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#run.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** One run, unless one is under way or ended just now. */
  runIfDue(isDue: boolean): void {
    const pauseMs = isDue ? this.job.intervalMs / 2 : IDLE_RUN_MS;
    if (this.#stopping.signal.aborted || this.#isRunning || performance.now() - this.#endedAtMs < pauseMs) return;
    this.#isRunning = true;
    this.#running = this.runOnce().finally(() => {
      this.#isRunning = false;
      this.#endedAtMs = performance.now();
    });
  }

  /** One run, now; errors are logged and counted, never thrown. */
  async runOnce(): Promise<void> {
    const { name } = this.job;
    try {
      const outcome = await this.#runExclusively();
      this.deps.metrics.jobRuns.inc({ job_name: name, outcome });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.deps.metrics.jobRuns.inc({ job_name: name, outcome: 'failed' });
      this.deps.logger.error({ err: error, job: name }, 'job failed; it will run again');
    }
  }

  async #runExclusively(): Promise<'ran' | 'busy'> {
    const work = (leaseLost?: AbortSignal) => this.#measured(leaseLost);
    const { outcome } = await this.deps.lock.runExclusive(this.job.name, { leaseMs: LEASE_MS }, work);
    if (outcome !== 'unavailable') return outcome;
    await work();
    return 'ran';
  }

  async #measured(leaseLost: AbortSignal | undefined): Promise<void> {
    const run = new AbortController();
    this.#run = run;
    if (this.#stopping.signal.aborted || leaseLost?.aborted === true) run.abort();
    leaseLost?.addEventListener('abort', () => run.abort(), { once: true });
    const end = this.deps.metrics.jobDuration.startTimer({ job_name: this.job.name });
    try {
      await this.job.work(run.signal);
    } finally {
      end();
    }
  }

  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.runOnce().then(() => this.#schedule(this.job.intervalMs * (0.95 + Math.random() / 10)));
    }, delayMs);
  }
}
