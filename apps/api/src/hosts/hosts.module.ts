import { Module } from '@nestjs/common';
import { ArchiveReader } from '@hopcount/archive';
import { isListedSuffix } from '@hopcount/hosts';
import { HostBatches } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { daysBeforeIn, HostAlerts, HostLists, HostReport, HostSeries } from '@hopcount/statistics';

import { provide } from '../provide.js';
import { Settings } from '../settings.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { AllTime } from './all-time.js';
import { HostAlertsController } from './host-alerts.controller.js';
import { HostAlertsHub } from './host-alerts-hub.js';
import { HostBatchesController } from './host-batches.controller.js';
import { HostMemory } from './host-memory.js';
import { HostReportController } from './host-report.controller.js';
import { HostSeriesController } from './host-series.controller.js';
import { HostsController } from './hosts.controller.js';

/** Of a question as a whole; who asks for more waits for nothing. */
const TIMEOUT_MS = 5_000;
/** Of a report, which nobody looks at twice a minute. */
const REPORT_TIMEOUT_MS = 20_000;

@Module({
  imports: [StatisticsModule],
  controllers: [
    HostBatchesController,
    HostAlertsController,
    HostReportController,
    HostSeriesController,
    HostsController,
  ],
  providers: [
    {
      provide: HostLists,
      inject: [Database, Settings],
      useFactory: (database: Database, { reportingTimeZone }: Settings) => {
        const daysBefore = daysBeforeIn(reportingTimeZone);
        return new HostLists(database, { timeoutMs: TIMEOUT_MS, isSuffix: isListedSuffix, daysBefore });
      },
    },
    {
      provide: HostSeries,
      inject: [Database, ArchiveReader],
      useFactory: (database: Database, archive: ArchiveReader) =>
        new HostSeries(database, archive, { timeoutMs: TIMEOUT_MS }),
    },
    {
      provide: HostReport,
      inject: [Database],
      useFactory: (database: Database) => new HostReport(database, { timeoutMs: REPORT_TIMEOUT_MS }),
    },
    provide(HostAlerts, Database),
    provide(HostBatches, Database),
    HostAlertsHub,
    HostMemory,
    AllTime,
  ],
})
export class HostsModule {}
