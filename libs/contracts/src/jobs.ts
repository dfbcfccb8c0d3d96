import { z } from 'zod';

/** What the command line does with --execute: rebuild, verify, dead-letters redrive, archive seal, replay. */
export const JOB_KINDS = ['rebuild', 'verify', 'redrive', 'seal', 'replay'] as const;

export const JOB_STATES = [
  ...(['planning', 'planned', 'running', 'paused', 'done', 'mismatch', 'failed', 'cancelled'] as const),
] as const;

const instant = z.string().meta({ format: 'date-time' });
const counts = z.record(z.string(), z.number());

export const jobSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['17'] }),
    kind: z.enum(JOB_KINDS),
    parameters: z.record(z.string(), z.union([z.string(), z.number()])),
    state: z.enum(JOB_STATES).meta({
      description:
        '`planning`: a worker finds out what would change. `planned`: ready to be started. `mismatch`: the job is done, but some numbers still differ.',
    }),
    askedBy: z.string(),
    createdAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    plan: counts.nullable().meta({ description: 'Numbers of what the job would change. null until the plan is made.' }),
    counts: counts.meta({ description: 'Numbers of what the job has done so far.' }),
    step: z.string().nullable().meta({ description: 'What the job is doing now.' }),
    done: z.number().nullable().meta({ description: 'How much of this step is done.' }),
    total: z.number().nullable().meta({ description: 'How much there is to do in this step. null: not known.' }),
    perSecond: z.number().nullable().meta({ description: 'Average rate of this step.' }),
    secondsLeft: z.number().nullable().meta({ description: 'Time left of this step at that rate.' }),
    isHeld: z
      .boolean()
      .meta({ description: 'Whether a worker runs it now. A worker takes a pending job within seconds.' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'Job' });

export const jobListSchema = z
  .strictObject({ jobs: z.strictObject({ data: z.array(jobSchema) }) })
  .meta({ id: 'JobList' });

export type JobKind = (typeof JOB_KINDS)[number];
export type JobState = (typeof JOB_STATES)[number];
export type Job = z.infer<typeof jobSchema>;
export type JobList = z.infer<typeof jobListSchema>;
