import type { VisitsSummary } from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';
import { type TotalsSource, visitTotals } from '@hopcount/ledger';

/** All-time visits of links, from the slots (from the 15-minute buckets with SLOTS=off). */
export class LinkVisits {
  constructor(
    private readonly database: Database,
    private readonly source: TotalsSource,
  ) {}

  /** Of every link asked for; zeros where there are no visits. */
  totals(linkIds: readonly string[]): Promise<Map<string, VisitsSummary>> {
    return visitTotals(this.database, linkIds, this.source);
  }
}
