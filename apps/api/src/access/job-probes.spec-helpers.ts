import type { ProbeOf } from './probes.spec-helpers.js';

export const JOB_PROBES: Record<string, ProbeOf> = {
  'GET /rest/v3/jobs': { ask: () => ({ path: '/rest/v3/jobs' }) },
  'POST /rest/v3/jobs': { ask: () => ({ path: '/rest/v3/jobs', body: { kind: 'verify' } }) },
  'GET /rest/v3/jobs/:id': { ask: () => ({ path: '/rest/v3/jobs/99999999999' }) },
  'POST /rest/v3/jobs/:id/start': { ask: (_, { id }) => ({ path: `/rest/v3/jobs/${id}/start` }), takes: 'plannedJob' },
  'POST /rest/v3/jobs/:id/pause': { ask: (_, { id }) => ({ path: `/rest/v3/jobs/${id}/pause` }), takes: 'runningJob' },
  'POST /rest/v3/jobs/:id/resume': { ask: (_, { id }) => ({ path: `/rest/v3/jobs/${id}/resume` }), takes: 'pausedJob' },
  'POST /rest/v3/jobs/:id/cancel': {
    ask: (_, { id }) => ({ path: `/rest/v3/jobs/${id}/cancel` }),
    takes: 'plannedJob',
  },
};
