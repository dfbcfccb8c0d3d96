import { answerOf } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useChange } from '../../api/use-change.js';
import { type Group, GROUPS } from '../../features/administration/groups.js';

const addressOf = ({ groupId }: Group) => ({ path: { groupId } });

export function useCreateGroup() {
  return useChange(GROUPS, (body: { groupId: string; name?: string }) =>
    answerOf(api.POST('/rest/v3/groups', { body })),
  );
}

export function useRenameGroup() {
  return useChange(GROUPS, ({ group, name }: { group: Group; name: string }) =>
    answerOf(api.PATCH('/rest/v3/groups/{groupId}', { params: addressOf(group), body: { name } })),
  );
}

export function useDeleteGroup() {
  return useChange(GROUPS, ({ group, moveTo }: { group: Group; moveTo: string }) =>
    answerOf(
      api.DELETE('/rest/v3/groups/{groupId}', {
        params: { ...addressOf(group), query: moveTo === '' ? {} : { moveTo } },
      }),
    ),
  );
}
