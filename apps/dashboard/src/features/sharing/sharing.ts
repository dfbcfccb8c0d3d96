import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type ShareLink = components['schemas']['ShareLink'];
export type NewShareLink = operations['createShareLink']['requestBody']['content']['application/json'];
const SUBJECT = 'share-links';
const PAGE_SIZE = '100';

/** One's own; an owner's are everybody's. */
export function useShareLinks(page: number) {
  const query = { page: String(page), itemsPerPage: PAGE_SIZE };
  return useApi([SUBJECT, query], (signal) => answerOf(api.GET('/rest/v3/share-links', { params: { query }, signal })));
}

export function useCreateShareLink() {
  return useChange(SUBJECT, (body: NewShareLink) => answerOf(api.POST('/rest/v3/share-links', { body })));
}

export function useRevokeShareLink() {
  return useChange(SUBJECT, ({ id }: ShareLink) =>
    answerOf(api.DELETE('/rest/v3/share-links/{id}', { params: { path: { id: String(id) } } })),
  );
}
