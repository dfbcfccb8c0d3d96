import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';
import { addressOf, type LinkKey, LINKS, restoreLink } from '../../features/links/links.js';

export type DeletedLink = components['schemas']['DeletedShortUrl'];

const PAGE_SIZE = '25';

export function useDeletedLinks(page: number) {
  const query = { page: String(page), itemsPerPage: PAGE_SIZE };
  return useApi([LINKS, 'deleted', query], (signal) =>
    answerOf(api.GET('/rest/v3/deleted-short-urls', { params: { query }, signal })),
  );
}

export function useRestore() {
  return useChange(LINKS, restoreLink);
}

/** With its visits, for good. */
export function usePurge() {
  return useChange(LINKS, (link: LinkKey) =>
    answerOf(api.DELETE('/rest/v3/deleted-short-urls/{code}', { params: addressOf(link) })),
  );
}
