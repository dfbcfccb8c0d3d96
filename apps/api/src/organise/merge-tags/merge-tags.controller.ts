import { Body, Controller } from '@nestjs/common';
import { TagEditor } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';

const mergeTagsRequest = z.strictObject({
  tags: z
    .array(z.string().max(1_024))
    .min(1)
    .max(100)
    .meta({
      description: 'Tags that go; those that are gone already are left out, at least one must be there.',
      example: ['sale', 'sales'],
    }),
  into: z.string().max(1_024).meta({ description: 'The tag that their short URLs get.', example: 'spring-sale' }),
});

@Controller()
export class MergeTagsController {
  constructor(private readonly tags: TagEditor) {}

  @Operation('POST /rest/v3/tags/merge', {
    id: 'mergeTags',
    scope: 'links:write',
    summary: 'Merge tags into one',
    description:
      'Short URLs with any of them have `into` instead, once each. Of many they change a thousand at a time; when the ' +
      'request breaks off, the same request goes on. ETags of short URLs stay as they are.',
    tag: 'Tags',
    body: mergeTagsRequest,
    answer: null,
    problems: ['tag-not-found', 'forbidden-tag-operation'],
  })
  async merge(@Reached() reach: Reach, @Body() { tags, into }: z.output<typeof mergeTagsRequest>): Promise<void> {
    await this.tags.merge(reach, tags, into);
  }
}
