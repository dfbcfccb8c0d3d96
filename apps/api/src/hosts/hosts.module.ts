import { Module } from '@nestjs/common';
import { Database } from '@hopcount/postgres';
import { HostAlerts, HostCounts } from '@hopcount/statistics';

import { provide } from '../provide.js';
import { HostsController } from './hosts.controller.js';

@Module({ controllers: [HostsController], providers: [provide(HostCounts, Database), provide(HostAlerts, Database)] })
export class HostsModule {}
