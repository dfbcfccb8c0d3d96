import { Module } from '@nestjs/common';
import { Database } from '@hopcount/postgres';
import { HostCounts } from '@hopcount/statistics';

import { provide } from '../provide.js';
import { HostsController } from './hosts.controller.js';

@Module({ controllers: [HostsController], providers: [provide(HostCounts, Database)] })
export class HostsModule {}
