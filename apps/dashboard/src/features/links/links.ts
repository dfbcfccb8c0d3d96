import { answerOf, type components, HopcountProblem, type operations } from '@hopcount/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { api } from '../../api/client.js';
import { useApi, useFresh } from '../../api/use-api.js';
import type { ListedState } from './listed-states.js';

export type ShortUrl = components['schemas']['ShortUrl'];
export type LinkKey = Pick<ShortUrl, 'shortCode' | 'domain'>;
type Body<Id extends 'createShortUrl' | 'editShortUrl'> = NonNullable<
  operations[Id]['requestBody']
>['content']['application/json'];
/** Without a field of Shlink 3, which is taken only as it was answered. */
export type LinkEdit = Omit<Body<'editShortUrl'>, 'deviceLongUrls'>;
export type NewLink = Omit<Body<'createShortUrl'>, 'deviceLongUrls'>;

export interface LinksAsked {
  page: number;
  size: number;
  search: string;
  tag: string | undefined;
  group: string | undefined;
  state: ListedState | undefined;
  order: string;
}

/** The first part of the key of all that is asked about links. */
export const LINKS = 'links';

/** How the api names one: where several domains have the code, the domain says which. */
export function addressOf({ shortCode, domain }: LinkKey) {
  return { path: { code: shortCode }, query: domain === null ? {} : { domain } };
}

/** With the version it was read in: an edit that names it cannot undo somebody else's. */
export async function readLink(
  key: LinkKey,
  signal?: AbortSignal,
): Promise<{ link: ShortUrl; etag: string | undefined }> {
  const { data, error, response } = await api.GET('/rest/v3/short-urls/{code}', {
    params: addressOf(key),
    ...(signal !== undefined && { signal }),
  });
  if (data === undefined) throw new HopcountProblem(response.status, error);
  return { link: data, etag: response.headers.get('etag') ?? undefined };
}

export function editLink(link: LinkKey, body: LinkEdit, etag?: string): Promise<ShortUrl> {
  const header = etag === undefined ? {} : { header: { 'If-Match': etag } };
  return answerOf(api.PATCH('/rest/v3/short-urls/{code}', { params: { ...addressOf(link), ...header }, body }));
}

/** Into the recycle bin. */
export function deleteLink(link: LinkKey): Promise<unknown> {
  return answerOf(api.DELETE('/rest/v3/short-urls/{code}', { params: addressOf(link) }));
}

/** Out of the recycle bin. */
export function restoreLink(link: LinkKey): Promise<ShortUrl> {
  return answerOf(api.POST('/rest/v3/deleted-short-urls/{code}/restore', { params: addressOf(link) }));
}

export function useLinks({ page, size, search, tag, group, state, order }: LinksAsked) {
  const query = {
    ...{ page: String(page), itemsPerPage: String(size), orderBy: order },
    ...(search !== '' && { searchTerm: search }),
    ...(tag !== undefined && { 'tags[]': [tag] }),
    ...(group !== undefined && { group }),
    ...(state !== undefined && { state }),
  };
  return useApi([LINKS, 'list', query], (signal) =>
    answerOf(api.GET('/rest/v3/short-urls', { params: { query }, signal })),
  );
}

export function useTags() {
  return useApi([LINKS, 'tags'], (signal) => answerOf(api.GET('/rest/v3/tags', { signal })));
}

export function useLink(key: LinkKey) {
  return useApi([LINKS, 'one', key], (signal) => readLink(key, signal));
}

/** As a form wants it. */
export function useFreshLink({ shortCode, domain }: LinkKey) {
  const key: LinkKey = { shortCode, domain };
  return useFresh([LINKS, 'one', key], (signal) => readLink(key, signal));
}

/** What changes links; lists and pages of links are asked for again afterwards. */
function useLinkChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: [LINKS] }),
  });
}

export function useCreateLink() {
  return useLinkChange((body: NewLink) => answerOf(api.POST('/rest/v3/short-urls', { body })));
}

export function useEditLink() {
  return useLinkChange(({ link, body, etag }: { link: LinkKey; body: LinkEdit; etag?: string | undefined }) =>
    editLink(link, body, etag),
  );
}

export function useDeleteLink() {
  return useLinkChange(deleteLink);
}

export function useRestoreLink() {
  return useLinkChange(restoreLink);
}
