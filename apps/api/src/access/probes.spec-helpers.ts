import { ALERT_PROBES } from './alert-probes.spec-helpers.js';
import { JOB_PROBES } from './job-probes.spec-helpers.js';
import { type TakenThing, TRIED_EVENT } from './taken-things.spec-helpers.js';

/** What a route is asked about: a link, with a tag, a group and an orphan visit of its own, on a domain. */
export interface Thing {
  code: string;
  /** Of the link. */
  domain: string;
  /** That has no link of the key which does not reach the thing. */
  homeDomain: string;
  tag: string;
  group: string;
}

interface Probe {
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  method?: string;
  /** Text by which the answer shows the thing; absent: only the status counts. */
  shows?: string;
}

export interface ProbeOf {
  ask: (thing: Thing, context: { id: string; userId: number; importId: string; liveToken: string }) => Probe;
  /** It changes the thing, which has to be a new one each time: a link that is there, or in the bin; something else, with the id. */
  takes?: 'link' | 'deleted' | TakenThing;
}

const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const RULES = {
  redirectRules: [{ longUrl: 'https://example.com/r', conditions: [{ type: 'device', matchValue: 'ios' }] }],
};
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const TARGET = { longUrl: 'https://example.com/new' };

const link = ({ code, domain }: Thing, more = '', query = '') => ({
  path: `/rest/v3/short-urls/${code}${more}?domain=${domain}${query}`,
});
const deleted = ({ code, domain }: Thing, more = '') => ({
  path: `/rest/v3/deleted-short-urls/${code}${more}?domain=${domain}`,
});

/** How each route is asked; a route that is missing here fails the spec. */
export const PROBES: Record<string, ProbeOf> = {
  'POST /rest/v3/short-urls': { ask: () => ({ path: '/rest/v3/short-urls', body: TARGET }) },
  'POST /rest/v3/short-urls/batch': {
    ask: () => ({ path: '/rest/v3/short-urls/batch', body: { shortUrls: [TARGET] } }),
  },
  'GET /rest/v3/short-urls/shorten': {
    ask: () => ({ path: `/rest/v3/short-urls/shorten?longUrl=${encodeURIComponent(TARGET.longUrl)}` }),
  },
  'GET /rest/v3/short-urls': {
    ask: ({ code }) => ({ path: '/rest/v3/short-urls?itemsPerPage=-1', shows: `/${code}"` }),
  },
  'GET /rest/v3/short-urls/:code': { ask: (thing) => link(thing) },
  'PATCH /rest/v3/short-urls/:code': { ask: (thing) => ({ ...link(thing), body: { title: 'New' } }), takes: 'link' },
  'DELETE /rest/v3/short-urls/:code': { ask: (thing) => link(thing), takes: 'link' },
  'GET /rest/v3/short-urls/:code/redirect-rules': { ask: (thing) => link(thing, '/redirect-rules') },
  'POST /rest/v3/short-urls/:code/redirect-rules': {
    ask: (thing) => ({ ...link(thing, '/redirect-rules'), body: RULES }),
    takes: 'link',
  },
  'PATCH /rest/v3/short-urls/:code/redirect-rules': {
    ask: (thing) => ({ ...link(thing, '/redirect-rules'), body: RULES }),
    takes: 'link',
  },
  'POST /rest/v3/short-urls/:code/redirect-rules/try': {
    ask: (thing) => ({ ...link(thing, '/redirect-rules/try'), body: {} }),
  },
  'GET /rest/v3/short-urls/:code/qr-code': { ask: (thing) => link(thing, '/qr-code', '&format=svg') },
  'POST /rest/v3/short-urls/:code/qr-code': {
    ask: (thing) => ({ ...link(thing, '/qr-code', '&format=svg'), body: { logo: LOGO } }),
  },
  'GET /rest/v3/deleted-short-urls': {
    ask: ({ code }) => ({ path: '/rest/v3/deleted-short-urls?itemsPerPage=-1', shows: `/${code}"` }),
    takes: 'deleted',
  },
  'POST /rest/v3/deleted-short-urls/:code/restore': { ask: (thing) => deleted(thing, '/restore'), takes: 'deleted' },
  'DELETE /rest/v3/deleted-short-urls/:code': { ask: (thing) => deleted(thing), takes: 'deleted' },
  'GET /rest/v3/short-urls/:code/visits': { ask: (thing) => ({ ...link(thing, '/visits'), shows: `/${thing.code}"` }) },
  'DELETE /rest/v3/short-urls/:code/visits': { ask: (thing) => link(thing, '/visits'), takes: 'link' },
  'GET /rest/v3/short-urls/:code/stats': { ask: (thing) => link(thing, '/stats') },
  'GET /rest/v3/statistics/totals': { ask: ({ tag }) => ({ path: `/rest/v3/statistics/totals?tag=${tag}` }) },
  'GET /rest/v3/statistics/series': {
    ask: ({ code, domain }) => ({ path: `/rest/v3/statistics/series?shortCode=${code}&domain=${domain}` }),
  },
  'GET /rest/v3/statistics/dimensions/:name': {
    ask: ({ tag }) => ({ path: `/rest/v3/statistics/dimensions/country?tag=${tag}` }),
  },
  'GET /rest/v3/statistics/matrix': {
    ask: ({ tag }) => ({ path: `/rest/v3/statistics/matrix?rows=country&columns=weekday&tag=${tag}` }),
  },
  'GET /rest/v3/statistics/proof': {
    ask: ({ code, domain }) => ({ path: `/rest/v3/statistics/proof?shortCode=${code}&domain=${domain}` }),
  },
  'GET /rest/v3/statistics/explain': {
    ask: ({ tag }) => ({ path: `/rest/v3/statistics/explain?tag=${tag}` }),
  },
  'GET /rest/v3/statistics/live': { ask: ({ tag }) => ({ path: `/rest/v3/statistics/live?tag=${tag}` }) },
  'GET /rest/v3/statistics/live/stream': {
    ask: ({ tag }) => ({ path: `/rest/v3/statistics/live/stream?tag=${tag}`, method: 'HEAD' }),
  },
  'GET /rest/v3/statistics/hot': { ask: () => ({ path: '/rest/v3/statistics/hot' }) },
  'GET /rest/v3/hosts/alerts': { ask: () => ({ path: '/rest/v3/hosts/alerts' }) },
  'GET /rest/v3/hosts/alerts/stream': { ask: () => ({ path: '/rest/v3/hosts/alerts/stream', method: 'HEAD' }) },
  'GET /rest/v3/hosts/report': { ask: () => ({ path: '/rest/v3/hosts/report?month=2026-06' }) },
  'GET /rest/v3/hosts/:kind': { ask: () => ({ path: '/rest/v3/hosts/target' }) },
  'GET /rest/v3/hosts/:kind/:host/series': { ask: () => ({ path: '/rest/v3/hosts/target/example.com/series' }) },
  'GET /rest/v3/hosts/:kind/compare': { ask: () => ({ path: '/rest/v3/hosts/target/compare?names=example.com' }) },
  'GET /rest/v3/hosts/:kind/:host': { ask: () => ({ path: '/rest/v3/hosts/target/example.com' }) },
  'POST /rest/v3/hosts/counts': {
    ask: () => ({
      ...{ path: '/rest/v3/hosts/counts', body: '7 example.com' },
      headers: { 'content-type': 'text/plain', 'idempotency-key': 'probe' },
    }),
  },
  'GET /rest/v3/hosts/counts/batches/:key': {
    ask: (_, { id }) => ({ path: `/rest/v3/hosts/counts/batches/${id}`, shows: '"counted"' }),
    takes: 'hostBatch',
  },
  'DELETE /rest/v3/hosts/counts/batches/:key': {
    ask: (_, { id }) => ({ path: `/rest/v3/hosts/counts/batches/${id}`, shows: '"reversed"' }),
    takes: 'hostBatch',
  },
  'GET /rest/v3/statistics/links': {
    ask: ({ code }) => ({ path: '/rest/v3/statistics/links', shows: `"shortCode":"${code}"` }),
  },
  'GET /rest/v3/tags': { ask: ({ tag }) => ({ path: '/rest/v3/tags', shows: `"${tag}"` }) },
  'GET /rest/v3/tags/stats': { ask: ({ tag }) => ({ path: '/rest/v3/tags/stats', shows: `"${tag}"` }) },
  'PUT /rest/v3/tags': {
    ask: ({ tag }) => ({ path: '/rest/v3/tags', body: { oldName: tag, newName: `${tag}-new` } }),
    takes: 'link',
  },
  'DELETE /rest/v3/tags': { ask: ({ tag }) => ({ path: `/rest/v3/tags?tags[]=${tag}` }), takes: 'link' },
  'POST /rest/v3/tags/merge': {
    ask: ({ tag }) => ({ path: '/rest/v3/tags/merge', body: { tags: [tag], into: 'merged' } }),
    takes: 'link',
  },
  'GET /rest/v3/tags/:tag/visits': {
    ask: ({ tag, code }) => ({ path: `/rest/v3/tags/${tag}/visits`, shows: `/${code}"` }),
  },
  'GET /rest/v3/domains': { ask: ({ homeDomain }) => ({ path: '/rest/v3/domains', shows: `"${homeDomain}"` }) },
  'PATCH /rest/v3/domains/redirects': {
    ask: ({ homeDomain }) => ({
      path: '/rest/v3/domains/redirects',
      body: { domain: homeDomain, baseUrlRedirect: 'https://example.com/base' },
    }),
  },
  'GET /rest/v3/domains/:domain/visits': {
    ask: ({ homeDomain }) => ({ path: `/rest/v3/domains/${homeDomain}/visits` }),
  },
  'GET /rest/v3/groups': { ask: ({ group }) => ({ path: '/rest/v3/groups', shows: `"${group}"` }) },
  'POST /rest/v3/groups': {
    ask: ({ group }) => ({ path: '/rest/v3/groups', body: { groupId: `${group}-new` } }),
    takes: 'link',
  },
  'PATCH /rest/v3/groups/:groupId': {
    ask: ({ group }) => ({ path: `/rest/v3/groups/${group}`, body: { name: 'New' } }),
    takes: 'link',
  },
  'DELETE /rest/v3/groups/:groupId': {
    ask: ({ group }) => ({ path: `/rest/v3/groups/${group}?moveTo=others` }),
    takes: 'link',
  },
  'PUT /rest/v3/groups/order': {
    ask: ({ group }) => ({ path: '/rest/v3/groups/order', body: { groupIds: [group] } }),
    takes: 'link',
  },
  'POST /rest/v3/short-urls/move': {
    ask: ({ code, domain }) => ({
      path: '/rest/v3/short-urls/move',
      body: { groupId: null, shortUrls: [{ shortCode: code, domain }] },
    }),
    takes: 'link',
  },
  'GET /rest/v3/visits': { ask: () => ({ path: '/rest/v3/visits' }) },
  'GET /rest/v3/visits/non-orphan': {
    ask: ({ code }) => ({ path: '/rest/v3/visits/non-orphan', shows: `/${code}"` }),
  },
  'GET /rest/v3/visits/orphan': {
    ask: ({ homeDomain }) => ({ path: '/rest/v3/visits/orphan', shows: `//${homeDomain}/` }),
  },
  'DELETE /rest/v3/visits/orphan': { ask: () => ({ path: '/rest/v3/visits/orphan' }) },
  'GET /rest/v3/mercure-info': { ask: () => ({ path: '/rest/v3/mercure-info' }) },
  // A GET would not end.
  'GET /rest/v3/live': {
    ask: (_, { liveToken }) => ({
      ...{ path: '/rest/v3/live?topic=https://shlink.io/new-visit', method: 'HEAD' },
      headers: { authorization: `Bearer ${liveToken}` },
    }),
  },
  'POST /rest/v3/imports': {
    ask: () => ({
      ...{ path: '/rest/v3/imports?source=csv', body: 'longUrl\nhttps://example.com/\n' },
      headers: { 'content-type': 'text/csv' },
    }),
  },
  'GET /rest/v3/imports/:id': { ask: (_, { importId }) => ({ path: `/rest/v3/imports/${importId}` }) },
  'GET /rest/v3/imports/:id/report': { ask: (_, { importId }) => ({ path: `/rest/v3/imports/${importId}/report` }) },
  'DELETE /rest/v3/imports/:id': { ask: (_, { id }) => ({ path: `/rest/v3/imports/${id}` }), takes: 'import' },
  'GET /rest/v3/exports/links': {
    ask: ({ code }) => ({ path: '/rest/v3/exports/links?format=jsonl', shows: `"shortCode":"${code}"` }),
  },
  'GET /rest/v3/exports/visits': {
    ask: ({ code }) => ({ path: '/rest/v3/exports/visits?format=jsonl', shows: `"shortCode":"${code}"` }),
  },
  'GET /rest/v3/api-keys': { ask: () => ({ path: '/rest/v3/api-keys' }) },
  'POST /rest/v3/api-keys': {
    ask: (_, { id }) => ({ path: '/rest/v3/api-keys', body: { name: `made beside ${id}`, scopes: ['admin'] } }),
    takes: 'key',
  },
  'PATCH /rest/v3/api-keys/:id': {
    ask: (_, { id }) => ({ path: `/rest/v3/api-keys/${id}`, body: { enabled: false } }),
    takes: 'key',
  },
  'POST /rest/v3/api-keys/:id/rotate': {
    ask: (_, { id }) => ({ path: `/rest/v3/api-keys/${id}/rotate`, body: {} }),
    takes: 'key',
  },
  'DELETE /rest/v3/api-keys/:id': { ask: (_, { id }) => ({ path: `/rest/v3/api-keys/${id}` }), takes: 'key' },
  'GET /rest/v3/blocks': { ask: () => ({ path: '/rest/v3/blocks' }) },
  'POST /rest/v3/blocks': {
    ask: () => ({ path: '/rest/v3/blocks', body: { kind: 'host', value: 'evil.example' } }),
  },
  'DELETE /rest/v3/blocks/:blockId': { ask: (_, { id }) => ({ path: `/rest/v3/blocks/${id}` }), takes: 'block' },
  'GET /rest/v3/abuse-reports': { ask: () => ({ path: '/rest/v3/abuse-reports' }) },
  'DELETE /rest/v3/abuse-reports/:reportId': {
    ask: (_, { id }) => ({ path: `/rest/v3/abuse-reports/${id}` }),
    takes: 'report',
  },
  'GET /rest/v3/users': { ask: () => ({ path: '/rest/v3/users' }) },
  'PATCH /rest/v3/users/:id': {
    ask: (_, { id }) => ({ path: `/rest/v3/users/${id}`, body: { enabled: false } }),
    takes: 'user',
  },
  'DELETE /rest/v3/users/:id': { ask: (_, { id }) => ({ path: `/rest/v3/users/${id}` }), takes: 'user' },
  'DELETE /rest/v3/users/:id/provider-identity': {
    ask: (_, { id }) => ({ path: `/rest/v3/users/${id}/provider-identity` }),
    takes: 'user',
  },
  'POST /rest/v3/users/:id/reset': { ask: (_, { userId }) => ({ path: `/rest/v3/users/${userId}/reset` }) },
  'GET /rest/v3/users/invites': { ask: () => ({ path: '/rest/v3/users/invites' }) },
  'DELETE /rest/v3/users/invites/:id': {
    ask: (_, { id }) => ({ path: `/rest/v3/users/invites/${id}` }),
    takes: 'invite',
  },
  'POST /rest/v3/users/invites': { ask: () => ({ path: '/rest/v3/users/invites', body: { role: 'viewer' } }) },
  'POST /rest/v3/users/accept': { ask: () => ({ path: '/rest/v3/users/accept', body: {} }) },
  'POST /rest/v3/session': { ask: () => ({ path: '/rest/v3/session', body: {} }) },
  'GET /rest/v3/session/oidc': { ask: () => ({ path: '/rest/v3/session/oidc' }) },
  'GET /rest/v3/session/oidc/callback': { ask: () => ({ path: '/rest/v3/session/oidc/callback?code=x&state=x' }) },
  'GET /rest/v3/session': { ask: () => ({ path: '/rest/v3/session' }) },
  'DELETE /rest/v3/session': { ask: () => ({ path: '/rest/v3/session?everywhere=perhaps' }) },
  'PUT /rest/v3/session/password': { ask: () => ({ path: '/rest/v3/session/password', body: {} }) },
  'POST /rest/v3/session/second-factor': { ask: () => ({ path: '/rest/v3/session/second-factor', body: {} }) },
  'POST /rest/v3/session/second-factor/confirm': {
    ask: () => ({ path: '/rest/v3/session/second-factor/confirm', body: {} }),
  },
  'POST /rest/v3/session/second-factor/remove': {
    ask: () => ({ path: '/rest/v3/session/second-factor/remove', body: {} }),
  },
  'GET /rest/v3/sessions': { ask: () => ({ path: '/rest/v3/sessions' }) },
  'DELETE /rest/v3/sessions/:id': { ask: () => ({ path: '/rest/v3/sessions/0123456789abcdef' }) },
  'GET /rest/v3/share-links': { ask: () => ({ path: '/rest/v3/share-links' }) },
  'POST /rest/v3/share-links': {
    ask: () => ({ path: '/rest/v3/share-links', body: { name: 'x', expirationDate: TOMORROW } }),
  },
  'DELETE /rest/v3/share-links/:id': { ask: () => ({ path: '/rest/v3/share-links/999999999' }) },
  'GET /rest/v3/webhooks': { ask: () => ({ path: '/rest/v3/webhooks' }) },
  'POST /rest/v3/webhooks': {
    ask: () => ({ path: '/rest/v3/webhooks', body: { url: 'https://example.com/', events: ['link.created'] } }),
  },
  'PATCH /rest/v3/webhooks/:id': {
    ask: (_, { id }) => ({ path: `/rest/v3/webhooks/${id}`, body: { enabled: false } }),
    takes: 'webhook',
  },
  'DELETE /rest/v3/webhooks/:id': { ask: (_, { id }) => ({ path: `/rest/v3/webhooks/${id}` }), takes: 'webhook' },
  'POST /rest/v3/webhooks/:id/test': {
    ask: (_, { id }) => ({ path: `/rest/v3/webhooks/${id}/test` }),
    takes: 'webhook',
  },
  'GET /rest/v3/webhooks/:id/deliveries': {
    ask: (_, { id }) => ({ path: `/rest/v3/webhooks/${id}/deliveries` }),
    takes: 'webhook',
  },
  'POST /rest/v3/webhooks/:id/deliveries/:eventId/resend': {
    ask: (_, { id }) => ({ path: `/rest/v3/webhooks/${id}/deliveries/${TRIED_EVENT}/resend` }),
    takes: 'webhook',
  },
  ...ALERT_PROBES,
  'GET /rest/v3/audit-log': { ask: () => ({ path: '/rest/v3/audit-log' }) },
  'GET /rest/v3/exports/audit-log': { ask: () => ({ path: '/rest/v3/exports/audit-log' }) },
  'GET /rest/v3/system': { ask: () => ({ path: '/rest/v3/system' }) },
  'GET /rest/v3/system/checks': { ask: () => ({ path: '/rest/v3/system/checks' }) },
  'GET /rest/v3/system/audit-minutes': { ask: () => ({ path: '/rest/v3/system/audit-minutes' }) },
  'GET /rest/v3/system/archive-files': { ask: () => ({ path: '/rest/v3/system/archive-files' }) },
  'GET /rest/v3/system/dead-letters': { ask: () => ({ path: '/rest/v3/system/dead-letters' }) },
  'GET /rest/v3/system/dead-letters/:place': {
    ask: () => ({ path: '/rest/v3/system/dead-letters/0@99999999999' }),
  },
  'POST /rest/v3/system/dead-letters/redrive': {
    ask: () => ({ path: '/rest/v3/system/dead-letters/redrive', body: { places: ['0@99999999999'] } }),
  },
  'GET /rest/v3/system/verifications': { ask: () => ({ path: '/rest/v3/system/verifications' }) },
  'POST /rest/v3/system/verifications': { ask: () => ({ path: '/rest/v3/system/verifications' }) },
  ...JOB_PROBES,
  'GET /rest/v3/health': { ask: () => ({ path: '/rest/v3/health' }) },
  'GET /livez': { ask: () => ({ path: '/livez' }) },
  'GET /readyz': { ask: () => ({ path: '/readyz' }) },
};
