import { Controller, Param, Query, Req } from '@nestjs/common';
import { reachFor } from '@hopcount/identities';
import { LinkGroups } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { deleteGroupQuery } from './group.requests.js';

@Controller()
export class DeleteGroupController {
  constructor(private readonly groups: LinkGroups) {}

  @Operation('DELETE /rest/v3/groups/:groupId', {
    id: 'deleteGroup',
    scope: 'links:write',
    summary: 'Delete a group',
    description:
      'One without short URLs, deleted ones included; with `moveTo` they are moved first, 200 at a time. When there are ' +
      'too many for one request, or it breaks off, the same request goes on. Visits keep the group they were counted in. ' +
      'One in which users have roles is deleted, with these, by who administers only.',
    tag: 'Groups',
    query: deleteGroupQuery,
    answer: null,
    problems: ['group-not-found', 'group-not-empty', 'group-has-roles', 'group-move-unfinished', 'beyond-role'],
  })
  async delete(
    @Reached() reach: Reach,
    @Req() { identity }: FastifyRequest,
    @Param('groupId') groupId: string,
    @Query() { moveTo }: z.output<typeof deleteGroupQuery>,
  ): Promise<void> {
    const administers = identity !== undefined && reachFor(identity, 'admin') !== undefined;
    await this.groups.delete(reach, groupId, { into: moveTo, administers });
  }
}
