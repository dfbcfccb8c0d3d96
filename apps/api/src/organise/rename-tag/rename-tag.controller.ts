import { Body, Controller } from '@nestjs/common';
import { TagEditor } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';

const renameTagRequest = z.strictObject({
  oldName: z.string().max(1_024).meta({ example: 'sale' }),
  newName: z.string().max(1_024).meta({ description: 'Which no other tag has.', example: 'spring-sale' }),
});

@Controller()
export class RenameTagController {
  constructor(private readonly tags: TagEditor) {}

  @Operation('PUT /rest/v3/tags', {
    id: 'renameTag',
    scope: 'links:write',
    summary: 'Rename a tag',
    description: 'Its short URLs have it under the new name at once. ETags of these stay as they are.',
    tag: 'Tags',
    body: renameTagRequest,
    answer: null,
    problems: ['tag-not-found', 'tag-conflict', 'forbidden-tag-operation'],
  })
  async rename(
    @Reached() reach: Reach,
    @Body() { oldName, newName }: z.output<typeof renameTagRequest>,
  ): Promise<void> {
    await this.tags.rename(reach, oldName, newName);
  }
}
