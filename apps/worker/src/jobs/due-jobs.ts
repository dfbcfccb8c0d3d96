import type { Queryable } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';

import type { IntervalJob } from './interval-job.js';

export interface DueJobsDeps {
  database: Pick<Queryable, 'query'>;
  logger: Logger;
}

/** Runs jobs of one interval that wait for rows: one question to PostgreSQL for all of them, and only those for which some wait. */
export class DueJobs {
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #isStopping = false;
  readonly #question: string;

  constructor(
    private readonly jobs: readonly Pick<IntervalJob, 'name' | 'waitsFor' | 'runIfDue'>[],
    private readonly intervalMs: number,
    private readonly deps: DueJobsDeps,
  ) {
    this.#question = `SELECT ${jobs.map(({ name, waitsFor }) => `${waitsFor} AS "${name}"`).join(', ')}`;
  }

  start(): void {
    this.#schedule(this.intervalMs * Math.random());
  }

  /** The jobs are stopped by themselves. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#look;
  }

  /** What cannot be asked is due: the job will say what is wrong. */
  async look(): Promise<void> {
    const due = await this.deps.database.query<Record<string, boolean>>(this.#question).catch((error: unknown) => {
      this.deps.logger.warn({ err: error }, 'cannot find out which jobs have work; all of them run');
      return [];
    });
    for (const job of this.jobs) job.runIfDue(due[0]?.[job.name] ?? true);
  }

  #schedule(delayMs: number): void {
    if (this.#isStopping) return;
    this.#timer = setTimeout(() => {
      this.#look = this.look().then(() => this.#schedule(this.intervalMs * (0.95 + Math.random() / 10)));
    }, delayMs);
  }
}
