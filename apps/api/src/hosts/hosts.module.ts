import { Module } from '@nestjs/common';
import { Database } from '@hopcount/postgres';
import { HostAlerts, HostCounts } from '@hopcount/statistics';

import { provide } from '../provide.js';
import { HostsController } from './hosts.controller.js';

/** Of what is not kept as a sum; who asks for more waits for nothing. */
const STATEMENT_TIMEOUT_MS = 5_000;

@Module({
  controllers: [HostsController],
  providers: [
    {
      provide: HostCounts,
      inject: [Database],
      useFactory: (database: Database) => new HostCounts(database, { statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
    },
    provide(HostAlerts, Database),
  ],
})
export class HostsModule {}
