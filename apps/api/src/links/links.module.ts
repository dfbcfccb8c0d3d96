import { Module } from '@nestjs/common';
import { LinkEditor, LinkList, LinkOutbox, LinkStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { LinkLocks } from '@hopcount/redis';

import { provide } from '../provide.js';
import { CreateLinkController } from './create-link/create-link.controller.js';
import { DeleteLinkController } from './delete-link/delete-link.controller.js';
import { EditLinkController } from './edit-link/edit-link.controller.js';
import { GetLinkController } from './get-link/get-link.controller.js';
import { ListLinksController } from './list-links/list-links.controller.js';
import { QrCodeController } from './qr-code/qr-code.controller.js';
import { ShortUrlPresenter } from './short-url.presenter.js';

@Module({
  controllers: [
    CreateLinkController,
    ListLinksController,
    GetLinkController,
    EditLinkController,
    DeleteLinkController,
    QrCodeController,
  ],
  providers: [
    ShortUrlPresenter,
    provide(LinkEditor, Database, LinkStore, LinkOutbox, LinkLocks),
    provide(LinkList, Database),
  ],
})
export class LinksModule {}
