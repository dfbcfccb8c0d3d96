import { Module } from '@nestjs/common';
import { TagEditor, TagList } from '@hopcount/links';
import { Database } from '@hopcount/postgres';

import { provide } from '../provide.js';
import { DeleteTagsController } from './delete-tags/delete-tags.controller.js';
import { ListTagsController } from './list-tags/list-tags.controller.js';
import { MergeTagsController } from './merge-tags/merge-tags.controller.js';
import { RenameTagController } from './rename-tag/rename-tag.controller.js';

@Module({
  controllers: [ListTagsController, RenameTagController, MergeTagsController, DeleteTagsController],
  providers: [provide(TagList, Database), provide(TagEditor, Database)],
})
export class OrganiseModule {}
