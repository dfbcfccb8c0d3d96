import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Group, type GroupList, groupListSchema, groupSchema } from '@hopcount/contracts';
import { type GroupRecord, LinkGroups } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { Reached } from '../../http/reached.js';
import { expectUnchanged } from '../../http/sent-back.js';
import {
  createGroupRequest,
  groupEdits,
  listGroupsQuery,
  MAX_GROUPS_PER_PAGE as atMost,
  orderGroupsRequest,
  renameGroupRequest,
} from './group.requests.js';

@Controller()
export class GroupsController {
  constructor(private readonly groups: LinkGroups) {}

  @Operation('GET /rest/v3/groups', {
    id: 'listGroups',
    scope: 'links:read',
    summary: 'List groups',
    description:
      'Those that were ordered first, then the others as they came. The short URLs of the groups on the page are counted ' +
      'for each answer: with millions in them, ask for smaller pages.',
    tag: 'Groups',
    query: listGroupsQuery,
    listsAll: true,
    answer: groupListSchema,
  })
  async list(@Reached() reach: Reach, @Query() query: z.output<typeof listGroupsQuery>): Promise<GroupList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all', atMost), atMost };
    const { groups, totalItems } = await this.groups.list(reach, pageWindow(asked));
    return { groups: toPage(groups.map(toGroup), { ...asked, totalItems }) };
  }

  @Operation('POST /rest/v3/groups', {
    id: 'createGroup',
    scope: 'links:write',
    summary: 'Create a group',
    description: 'A short URL that is created in a group that is new makes one as well.',
    tag: 'Groups',
    body: createGroupRequest,
    answer: groupSchema,
    problems: ['group-conflict', 'beyond-role'],
  })
  async create(
    @Reached() reach: Reach,
    @Body() { groupId, name }: z.output<typeof createGroupRequest>,
  ): Promise<Group> {
    return toGroup(await this.groups.create(reach, groupId, name ?? null));
  }

  @Operation('PATCH /rest/v3/groups/:groupId', {
    id: 'renameGroup',
    scope: 'links:write',
    summary: 'Rename a group',
    tag: 'Groups',
    body: renameGroupRequest,
    answer: groupSchema,
    problems: ['group-not-found', 'beyond-role', 'read-only-field'],
  })
  async rename(
    @Reached() reach: Reach,
    @Param('groupId') groupId: string,
    @Body() edit: z.output<typeof renameGroupRequest>,
  ): Promise<Group> {
    reach.expectWhole('rename groups');
    const answered = toGroup(await this.groups.get(groupId));
    expectUnchanged(edit, answered, { taken: groupEdits, counted: ['shortUrlsCount', 'deletedShortUrlsCount'] });
    return toGroup(await this.groups.rename(reach, groupId, edit.name));
  }

  @Operation('PUT /rest/v3/groups/order', {
    id: 'orderGroups',
    scope: 'links:write',
    summary: 'Order groups',
    tag: 'Groups',
    body: orderGroupsRequest,
    answer: null,
    problems: ['group-not-found', 'beyond-role'],
  })
  async order(@Reached() reach: Reach, @Body() { groupIds }: z.output<typeof orderGroupsRequest>): Promise<void> {
    await this.groups.order(reach, groupIds);
  }
}

function toGroup({ id, name, links, deletedLinks }: GroupRecord): Group {
  return { groupId: id, name, shortUrlsCount: links, deletedShortUrlsCount: deletedLinks };
}
