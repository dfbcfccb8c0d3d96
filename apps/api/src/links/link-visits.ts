import { Injectable } from '@nestjs/common';
import type { VisitsSummary } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';

/** All-time visits of links, from the slots (or from the ledger with SLOTS=off). */
@Injectable()
export class LinkVisits {
  constructor(private readonly database: Database) {}

  /** Only links with visits are in the answer. */
  async totals(linkIds: readonly string[]): Promise<Map<string, VisitsSummary>> {
    if (linkIds.length === 0) return new Map();
    const rows = await this.database.query<{ link_id: string; bots: string; total: string }>(
      `SELECT link_id, sum(visits) AS total, coalesce(sum(visits) FILTER (WHERE potential_bot), 0) AS bots
       FROM link_visit_slots WHERE link_id = ANY($1::bigint[]) GROUP BY link_id`,
      [linkIds],
    );
    return new Map(
      rows.map(({ link_id, total, bots }) => [
        link_id,
        { total: Number(total), nonBots: Number(total) - Number(bots), bots: Number(bots) },
      ]),
    );
  }
}
