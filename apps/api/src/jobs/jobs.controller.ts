import { Body, Controller, Param, Req } from '@nestjs/common';
import { type Job, type JobList, jobListSchema, jobSchema } from '@hopcount/contracts';
import { type JobRecord, OperatorJobs } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { operatorOf } from '../system/operator.js';
import { planJobRequest } from './jobs.requests.js';

const LISTED = 50;

/** Jobs that workers run for operators. */
@Controller()
export class JobsController {
  constructor(private readonly jobs: OperatorJobs) {}

  @Operation('GET /rest/v3/jobs', {
    id: 'listJobs',
    scope: 'admin',
    summary: 'List jobs',
    description: 'The newest 50. Ended jobs are kept for 30 days, plans that were not started for one day.',
    tag: 'Operations',
    answer: jobListSchema,
  })
  async list(): Promise<JobList> {
    return { jobs: { data: (await this.jobs.list(LISTED)).map(toJob) } };
  }

  @Operation('POST /rest/v3/jobs', {
    id: 'planJob',
    scope: 'admin',
    summary: 'Plan a job',
    description:
      'A worker finds out what the job would change. Nothing is changed yet. Read the job until its state is `planned`; `plan` then has the numbers. ' +
      '`rebuild` recomputes every number from the ledger and corrects those that differ. `verify` only compares them. ' +
      '`redrive` sends up to 10,000 dead letters to be counted. `seal` copies closed hours to archive files. ' +
      '`replay` reads the visits topic again and sends the visits that are missing in the ledger. Each kind works like the command of the same name.',
    tag: 'Operations',
    body: planJobRequest,
    answer: jobSchema,
    problems: ['too-many-jobs'],
  })
  async plan(@Body() given: z.output<typeof planJobRequest>, @Req() request: FastifyRequest): Promise<Job> {
    const { kind, ...parameters } = given;
    const known = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return toJob(await this.jobs.add(kind, Object.fromEntries(known), operatorOf(request)));
  }

  @Operation('GET /rest/v3/jobs/:id', {
    id: 'getJob',
    scope: 'admin',
    summary: 'Read a job',
    tag: 'Operations',
    answer: jobSchema,
    problems: ['job-not-found'],
  })
  async get(@Param('id') id: string): Promise<Job> {
    return toJob(await this.jobs.get(parseId(id)));
  }

  @Operation('POST /rest/v3/jobs/:id/start', {
    id: 'startJob',
    scope: 'admin',
    summary: 'Start a planned job',
    description: 'Only one job of each kind runs at a time.',
    tag: 'Operations',
    answer: jobSchema,
    problems: ['job-not-found', 'job-conflict'],
  })
  async start(@Param('id') id: string, @Req() request: FastifyRequest): Promise<Job> {
    return toJob(await this.jobs.start(parseId(id), operatorOf(request)));
  }

  @Operation('POST /rest/v3/jobs/:id/pause', {
    id: 'pauseJob',
    scope: 'admin',
    summary: 'Pause a running job',
    description:
      'The worker stops within about two seconds. Its open transaction is rolled back and repeated after the job is resumed.',
    tag: 'Operations',
    answer: jobSchema,
    problems: ['job-not-found', 'job-conflict'],
  })
  async pause(@Param('id') id: string): Promise<Job> {
    return toJob(await this.jobs.pause(parseId(id)));
  }

  @Operation('POST /rest/v3/jobs/:id/resume', {
    id: 'resumeJob',
    scope: 'admin',
    summary: 'Resume a paused job',
    description: 'The job continues at its last checkpoint.',
    tag: 'Operations',
    answer: jobSchema,
    problems: ['job-not-found', 'job-conflict'],
  })
  async resume(@Param('id') id: string): Promise<Job> {
    return toJob(await this.jobs.resume(parseId(id)));
  }

  @Operation('POST /rest/v3/jobs/:id/cancel', {
    id: 'cancelJob',
    scope: 'admin',
    summary: 'Cancel a job',
    description:
      'Changes that the job has already made stay. Each of them is complete. A cancelled job cannot be resumed.',
    tag: 'Operations',
    answer: jobSchema,
    problems: ['job-not-found', 'job-conflict'],
  })
  async cancel(@Param('id') id: string, @Req() request: FastifyRequest): Promise<Job> {
    return toJob(await this.jobs.cancel(parseId(id), operatorOf(request)));
  }
}

function toJob({ createdAt, startedAt, endedAt, ...job }: JobRecord): Job {
  return {
    ...job,
    createdAt: formatDate(createdAt),
    startedAt: startedAt && formatDate(startedAt),
    endedAt: endedAt && formatDate(endedAt),
  };
}

/** @throws AppError `job-not-found` */
function parseId(text: string): string {
  if (/^\d{1,18}$/.test(text)) return text;
  throw new AppError('job-not-found', `There is no job "${text.slice(0, 32)}".`);
}
