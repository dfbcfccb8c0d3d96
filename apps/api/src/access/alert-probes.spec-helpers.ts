import type { ProbeOf } from './probes.spec-helpers.js';

const PATH = '/rest/v3/alerts';
const QUIET = { name: 'quiet', kind: 'below', windowMinutes: 60, threshold: 1, url: 'https://example.com/' };

export const ALERT_PROBES: Record<string, ProbeOf> = {
  'GET /rest/v3/alerts': { ask: () => ({ path: PATH }) },
  'POST /rest/v3/alerts': {
    ask: ({ code, domain }) => ({ path: PATH, body: { ...QUIET, shortCode: code, domain } }),
  },
  'PATCH /rest/v3/alerts/:id': {
    ask: (_, { id }) => ({ path: `${PATH}/${id}`, body: { enabled: false } }),
    takes: 'alert',
  },
  'DELETE /rest/v3/alerts/:id': { ask: (_, { id }) => ({ path: `${PATH}/${id}` }), takes: 'alert' },
  'POST /rest/v3/alerts/:id/test': { ask: (_, { id }) => ({ path: `${PATH}/${id}/test` }), takes: 'alert' },
};
