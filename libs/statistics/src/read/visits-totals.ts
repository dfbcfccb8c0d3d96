import type { VisitsSummary } from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { allVisitsTotal, orphanTotals } from '@hopcount/ledger';

/** All visits and all orphan visits that are reached, in one snapshot. */
export class VisitsTotals {
  constructor(
    private readonly database: Database,
    private readonly settings: { hasSlots: boolean },
  ) {}

  async read(reach: Reach): Promise<{ nonOrphanVisits: VisitsSummary; orphanVisits: VisitsSummary }> {
    const { hasSlots } = this.settings;
    return this.database.transaction(
      async (tx) => ({
        nonOrphanVisits: await allVisitsTotal(reach, tx, hasSlots ? 'slots' : 'traffic'),
        orphanVisits: await orphanTotals(reach, tx),
      }),
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}
