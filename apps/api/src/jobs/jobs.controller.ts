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

/** What the command line does with --execute, done by workers. */
@Controller()
export class JobsController {
  constructor(private readonly jobs: OperatorJobs) {}

  @Operation('GET /rest/v3/jobs', {
    id: 'listJobs',
    scope: 'admin',
    summary: 'List jobs',
    description: 'The newest 50. Jobs that ended are kept for 30 days, plans that were not started for one.',
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
      'A worker finds out what would change; nothing is. Read the job until its state is `planned`: `plan` then has the numbers. ' +
      '`rebuild` makes every kept number what the ledger says; `verify` compares them; `redrive` sends dead letters to be counted again, ' +
      'at most 10,000; `seal` copies closed hours into files; `replay` reads the visits topic again and sends what the ledger lacks. Each does what the command of that name does.',
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
    description: 'One of each kind runs at a time.',
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
    description: 'Its worker stops within two seconds. What it was changing then is undone and made again later.',
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
    description: 'From its checkpoint on; a verification begins anew.',
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
    description: 'What it has done stays done: each part of it is right by itself.',
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
