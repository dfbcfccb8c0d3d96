import { Controller, Query } from '@nestjs/common';
import { TagEditor } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { z } from 'zod';

import { queryList } from '../../http/input.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';

const deleteTagsQuery = z.strictObject({
  tags: queryList
    .refine((tags) => tags.length > 0, 'name at least one tag')
    .refine((tags) => tags.length <= 1_000, 'at most 1,000 tags')
    .meta({ description: 'Tags to delete; written `tags[]=a&tags[]=b`. Unknown ones are left out.' }),
});

@Controller()
export class DeleteTagsController {
  constructor(private readonly tags: TagEditor) {}

  @Operation('DELETE /rest/v3/tags', {
    id: 'deleteTags',
    scope: 'links:write',
    summary: 'Delete tags',
    description: 'Their short URLs stay, without them. Of many a thousand at a time lose theirs.',
    tag: 'Tags',
    query: deleteTagsQuery,
    answer: null,
    problems: ['forbidden-tag-operation'],
  })
  async delete(@Reached() reach: Reach, @Query() { tags }: z.output<typeof deleteTagsQuery>): Promise<void> {
    await this.tags.delete(reach, tags);
  }
}
