import { answerOf, type components, HopcountProblem, type operations } from '@hopcount/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';

export type ShortUrl = components['schemas']['ShortUrl'];
export type LinkKey = Pick<ShortUrl, 'shortCode' | 'domain'>;
export type LinkEdit = operations['editShortUrl']['requestBody']['content']['application/json'];
type NewLink = operations['createShortUrl']['requestBody']['content']['application/json'];

export interface LinksAsked {
  page: number;
  search: string;
  tag: string | undefined;
  order: string;
}

export const PAGE_SIZE = 25;

/** How the api names one: where several domains have the code, the domain says which. */
function addressOf({ shortCode, domain }: LinkKey) {
  return { path: { code: shortCode }, query: domain === null ? {} : { domain } };
}

export function useLinks({ page, search, tag, order }: LinksAsked) {
  const query = {
    ...{ page: String(page), itemsPerPage: String(PAGE_SIZE), orderBy: order },
    ...(search !== '' && { searchTerm: search }),
    ...(tag !== undefined && { 'tags[]': [tag] }),
  };
  return useApi(['links', 'list', query], (signal) =>
    answerOf(api.GET('/rest/v3/short-urls', { params: { query }, signal })),
  );
}

export function useTags() {
  return useApi(['links', 'tags'], (signal) => answerOf(api.GET('/rest/v3/tags', { signal })));
}

/** With the version it was read in: an edit that names it cannot undo somebody else's. */
export function useLink(key: LinkKey) {
  return useApi(['links', 'one', key], async (signal) => {
    const { data, error, response } = await api.GET('/rest/v3/short-urls/{code}', { params: addressOf(key), signal });
    if (data === undefined) throw new HopcountProblem(response.status, error);
    return { link: data, etag: response.headers.get('etag') ?? undefined };
  });
}

/** What changes links; lists and pages of links are asked for again afterwards. */
function useLinkChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: ['links'] }),
  });
}

export function useCreateLink() {
  return useLinkChange((body: NewLink) => answerOf(api.POST('/rest/v3/short-urls', { body })));
}

export function useEditLink() {
  return useLinkChange(({ link, body, etag }: { link: LinkKey; body: LinkEdit; etag?: string | undefined }) => {
    const header = etag === undefined ? {} : { header: { 'If-Match': etag } };
    return answerOf(api.PATCH('/rest/v3/short-urls/{code}', { params: { ...addressOf(link), ...header }, body }));
  });
}

export function useDeleteLink() {
  return useLinkChange((link: LinkKey) =>
    answerOf(api.DELETE('/rest/v3/short-urls/{code}', { params: addressOf(link) })),
  );
}

/** Out of the recycle bin. */
export function useRestoreLink() {
  return useLinkChange((link: LinkKey) =>
    answerOf(api.POST('/rest/v3/deleted-short-urls/{code}/restore', { params: addressOf(link) })),
  );
}
