import { Module } from '@nestjs/common';
import { LinkBin, LinkEditor, LinkList, LinkOutbox, LinkStore } from '@hopcount/links';
import { VisitPurger } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { LinkLocks } from '@hopcount/redis';

import { provide } from '../provide.js';
import { Settings } from '../settings.js';
import { CreateLinkController } from './create-link/create-link.controller.js';
import { DeleteLinkController } from './delete-link/delete-link.controller.js';
import { EditLinkController } from './edit-link/edit-link.controller.js';
import { CreateLinksController } from './create-links/create-links.controller.js';
import { GetLinkController } from './get-link/get-link.controller.js';
import { ListLinksController } from './list-links/list-links.controller.js';
import { QrCodeController } from './qr-code/qr-code.controller.js';
import { ListDeletedController } from './recycle-bin/list-deleted.controller.js';
import { PurgeLinkController } from './recycle-bin/purge-link.controller.js';
import { RestoreLinkController } from './recycle-bin/restore-link.controller.js';
import { ShortenController } from './shorten/shorten.controller.js';
import { RedirectRulesController } from './redirect-rules/redirect-rules.controller.js';
import { TryRulesController } from './redirect-rules/try-rules.controller.js';
import { ShortUrlPresenter } from './short-url.presenter.js';

@Module({
  controllers: [
    CreateLinkController,
    CreateLinksController,
    ShortenController,
    ListLinksController,
    GetLinkController,
    EditLinkController,
    DeleteLinkController,
    QrCodeController,
    ListDeletedController,
    RestoreLinkController,
    PurgeLinkController,
    RedirectRulesController,
    TryRulesController,
  ],
  providers: [
    ShortUrlPresenter,
    provide(LinkEditor, Database, LinkStore, LinkOutbox, LinkLocks),
    provide(LinkList, Database),
    provide(LinkBin, Database, LinkStore, LinkOutbox),
    provide(VisitPurger, Database, LinkLocks, Settings),
  ],
})
export class LinksModule {}
