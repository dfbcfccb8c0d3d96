import type { components } from '@hopcount/client';

export type Job = components['schemas']['Job'];

export const JOB_STEPS = {
  start: '/rest/v3/jobs/{id}/start',
  pause: '/rest/v3/jobs/{id}/pause',
  resume: '/rest/v3/jobs/{id}/resume',
  cancel: '/rest/v3/jobs/{id}/cancel',
} as const;

export type JobStep = keyof typeof JOB_STEPS;

const STEPS: Partial<Record<Job['state'], JobStep[]>> = {
  planning: ['cancel'],
  planned: ['start', 'cancel'],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
};

/** What can be done with a job now. */
export function stepsOf({ state }: Pick<Job, 'state'>): JobStep[] {
  return STEPS[state] ?? [];
}

/** Percent of the current step; undefined while its total is unknown. */
export function percentOf({ done, total }: Pick<Job, 'done' | 'total'>): number | undefined {
  return done === null || total === null || total === 0 || done > total ? undefined : (done / total) * 100;
}

/** The numbers to be shown: all of a plan, since 0 differences are news; of what was done those that are not 0, or the first. */
export function numbersOf({ plan, counts, startedAt }: Pick<Job, 'plan' | 'counts' | 'startedAt'>): [string, number][] {
  if (startedAt === null) return Object.entries(plan ?? {});
  const numbers = Object.entries(counts);
  const telling = numbers.filter(([, number]) => number !== 0);
  return telling.length > 0 ? telling : numbers.slice(0, 1);
}
