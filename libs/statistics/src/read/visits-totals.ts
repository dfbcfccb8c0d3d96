import type { VisitsSummary } from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';

import { allVisitsTotal, orphanTotals } from '@hopcount/ledger';

/** All visits and all orphan visits, in one snapshot. */
export class VisitsTotals {
  constructor(
    private readonly database: Database,
    private readonly settings: { hasSlots: boolean },
  ) {}

  async read(): Promise<{ nonOrphanVisits: VisitsSummary; orphanVisits: VisitsSummary }> {
    const { hasSlots } = this.settings;
    return this.database.transaction(
      async (tx) => ({
        nonOrphanVisits: await allVisitsTotal(tx, hasSlots ? 'slots' : 'traffic'),
        orphanVisits: await orphanTotals(tx),
      }),
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}
