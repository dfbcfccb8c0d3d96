import type { Database } from '@hopcount/postgres';
import type { JobLock } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';

import type { ConsumerConfig } from '../consumer.config.js';
import type { ConsumerMetrics } from '../consumer.metrics.js';
import { createPartitionsJob } from '../maintenance/create-partitions.job.js';
import { IntervalJob } from './interval-job.js';

export interface JobsDeps {
  config: ConsumerConfig;
  database: Database;
  lock: JobLock;
  metrics: ConsumerMetrics;
  logger: Logger;
}

/** What the consumer does beside batches. */
export function startJobs(deps: JobsDeps): IntervalJob[] {
  const jobs = [createPartitionsJob(deps)].map((job) => new IntervalJob(job, deps));
  for (const job of jobs) job.start();
  return jobs;
}
