import { Module, type OnModuleDestroy } from '@nestjs/common';
import { LinkDirectory } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { VisitFeed } from '@hopcount/statistics';

import { ShortUrlPresenter } from '../links/short-url.presenter.js';
import { provide } from '../provide.js';
import { EventStreams } from './event-streams.js';
import { FollowVisitsController } from './follow-visits/follow-visits.controller.js';
import { LiveHub } from './live-hub.js';
import { LiveMessages } from './live-messages.js';
import { MercureInfoController } from './mercure-info/mercure-info.controller.js';

@Module({
  controllers: [MercureInfoController, FollowVisitsController],
  providers: [LiveHub, LiveMessages, ShortUrlPresenter, provide(VisitFeed, Database), provide(LinkDirectory, Database)],
})
export class LiveModule implements OnModuleDestroy {
  constructor(private readonly streams: EventStreams) {}

  /** Of all modules: no request would end before its stream does. */
  onModuleDestroy(): Promise<void> {
    return this.streams.close();
  }
}
