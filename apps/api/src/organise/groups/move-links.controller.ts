import { Body, Controller } from '@nestjs/common';
import { type MovedShortUrls, movedShortUrlsSchema } from '@hopcount/contracts';
import { LinkGroups } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import type { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { moveLinksRequest } from './group.requests.js';

@Controller()
export class MoveLinksController {
  constructor(private readonly groups: LinkGroups) {}

  @Operation('POST /rest/v3/short-urls/move', {
    id: 'moveShortUrls',
    scope: 'links:write',
    summary: 'Move short URLs to a group',
    description: 'None is moved when one of them is not there. Visits already counted keep the group of their time.',
    tag: 'Groups',
    body: moveLinksRequest,
    answer: movedShortUrlsSchema,
    problems: ['short-url-not-found', 'group-not-found', 'beyond-role'],
  })
  async move(
    @Reached() reach: Reach,
    @Body() { groupId, shortUrls }: z.output<typeof moveLinksRequest>,
  ): Promise<MovedShortUrls> {
    const named = shortUrls.map(({ shortCode, domain }) => ({ code: shortCode, domain: domain ?? null }));
    return { movedShortUrls: await this.groups.move(reach, named, groupId) };
  }
}
