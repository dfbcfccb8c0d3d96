import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type ApiKey = components['schemas']['ApiKey'];
export type NewKey = operations['createApiKey']['requestBody']['content']['application/json'];

/** As the api lists them; with `admin` no other one is needed. */
export const SCOPES = ['links:read', 'links:write', 'statistics:read', 'visits:purge', 'hosts:write', 'admin'] as const;
const PAGE_SIZE = '50';
const SUBJECT = 'api-keys';

const addressOf = ({ id }: ApiKey) => ({ path: { id: String(id) } });

export function useApiKeys(page: number) {
  const query = { page: String(page), itemsPerPage: PAGE_SIZE };
  return useApi([SUBJECT, query], (signal) => answerOf(api.GET('/rest/v3/api-keys', { params: { query }, signal })));
}

export function useCreateApiKey() {
  return useChange(SUBJECT, (body: NewKey) => answerOf(api.POST('/rest/v3/api-keys', { body })));
}

export function useEnableApiKey() {
  return useChange(SUBJECT, ({ key, enabled }: { key: ApiKey; enabled: boolean }) =>
    answerOf(api.PATCH('/rest/v3/api-keys/{id}', { params: addressOf(key), body: { enabled } })),
  );
}

export function useRotateApiKey() {
  return useChange(SUBJECT, ({ key, graceSeconds }: { key: ApiKey; graceSeconds: number }) =>
    answerOf(api.POST('/rest/v3/api-keys/{id}/rotate', { params: addressOf(key), body: { graceSeconds } })),
  );
}

export function useRevokeApiKey() {
  return useChange(SUBJECT, (key: ApiKey) =>
    answerOf(api.DELETE('/rest/v3/api-keys/{id}', { params: addressOf(key) })),
  );
}
