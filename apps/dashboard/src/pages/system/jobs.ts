import { answerOf, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';
import { type Job, JOB_STEPS, type JobStep } from './job-steps.js';

export type JobToPlan = operations['planJob']['requestBody']['content']['application/json'];

const SUBJECT = 'jobs';
const REFRESHED_MS = 10_000;
/** While a worker is at one. */
const AWAITED_MS = 1_000;

export function useJobs() {
  return useApi([SUBJECT], (signal) => answerOf(api.GET('/rest/v3/jobs', { signal })), {
    refetchInterval: ({ jobs }) =>
      jobs.data.some(({ state }) => state === 'planning' || state === 'running') ? AWAITED_MS : REFRESHED_MS,
  });
}

export function usePlanJob() {
  return useChange(SUBJECT, (body: JobToPlan) => answerOf(api.POST('/rest/v3/jobs', { body })));
}

export function useJobStep() {
  return useChange(SUBJECT, ({ id, step }: { id: string; step: JobStep }): Promise<Job> => {
    const params = { params: { path: { id } } };
    return answerOf(api.POST(JOB_STEPS[step], params));
  });
}
