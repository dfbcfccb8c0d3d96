import { Module } from '@nestjs/common';
import { DomainSettings, LinkGroups, LinkOutbox, LinkStore, TagEditor, TagList } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { LinkLocks } from '@hopcount/redis';

import { provide } from '../provide.js';
import { DeleteGroupController } from './groups/delete-group.controller.js';
import { GroupsController } from './groups/groups.controller.js';
import { MoveLinksController } from './groups/move-links.controller.js';
import { DeleteTagsController } from './delete-tags/delete-tags.controller.js';
import { ListTagsController } from './list-tags/list-tags.controller.js';
import { ListDomainsController } from './list-domains/list-domains.controller.js';
import { MergeTagsController } from './merge-tags/merge-tags.controller.js';
import { RedirectDomainController } from './redirect-domain/redirect-domain.controller.js';
import { RenameTagController } from './rename-tag/rename-tag.controller.js';

@Module({
  controllers: [
    ListTagsController,
    RenameTagController,
    MergeTagsController,
    DeleteTagsController,
    ListDomainsController,
    RedirectDomainController,
    GroupsController,
    DeleteGroupController,
    MoveLinksController,
  ],
  providers: [
    provide(TagList, Database),
    provide(TagEditor, Database),
    provide(LinkGroups, Database, LinkStore, LinkOutbox, LinkLocks),
    provide(DomainSettings, Database, LinkStore, LinkOutbox),
  ],
})
export class OrganiseModule {}
