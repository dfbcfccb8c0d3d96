import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type TagStats = components['schemas']['TagStats'];

const PAGE_SIZE = '50';
/** Links show their tags. */
const SUBJECT = 'links';

export function useTagStats(page: number) {
  const query = { page: String(page), itemsPerPage: PAGE_SIZE, orderBy: 'tag-ASC' };
  return useApi([SUBJECT, 'tag-stats', query], (signal) =>
    answerOf(api.GET('/rest/v3/tags/stats', { params: { query }, signal })),
  );
}

export function useRenameTag() {
  return useChange(SUBJECT, (body: { oldName: string; newName: string }) =>
    answerOf(api.PUT('/rest/v3/tags', { body })),
  );
}

export function useMergeTag() {
  return useChange(SUBJECT, (body: { tags: string[]; into: string }) =>
    answerOf(api.POST('/rest/v3/tags/merge', { body })),
  );
}

export function useDeleteTag() {
  return useChange(SUBJECT, (tag: string) =>
    answerOf(api.DELETE('/rest/v3/tags', { params: { query: { 'tags[]': [tag] } } })),
  );
}
