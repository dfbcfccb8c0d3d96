import { eventIdTimeMs } from '@hopcount/contracts';
import { Pool } from 'pg';

import { HostSumsOf } from './host-sums.js';

export interface CountedVisit {
  eventId: string;
  linkId: string;
  /** utm_content: the load's nonce. */
  nonce: string | null;
}

/** Kinds 0 and 2: each visit has one target and one short host, known or not. */
const DIFFERENT_HOST_SUMS = `
  WITH parts AS (
    SELECT 'links' AS of, bucket, class, visits, checksum FROM link_traffic
    UNION ALL
    SELECT kind::text, bucket, class, p - n, checksum FROM host_buckets WHERE kind IN (0, 2) AND dc = ''
    UNION ALL
    SELECT change.kind::text, to_timestamp(change.cell / 90 * 900.0), change.class, change.p - change.n, change.checksum
    FROM host_changes, unnest(kinds, cells, classes, p, n, checksums) AS change (kind, cell, class, p, n, checksum)
    WHERE folded_at IS NULL AND change.kind IN (0, 2)
  ), sums AS (
    SELECT of, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum FROM parts GROUP BY 1, 2, 3
  )
  SELECT bucket, class, array_agg(of || ': ' || visits || ' ' || checksum ORDER BY of) AS sums
  FROM sums
  WHERE visits <> 0 OR checksum <> 0
  GROUP BY 1, 2
  HAVING count(*) <> 3 OR min(visits) <> max(visits) OR min(checksum) <> max(checksum)
  ORDER BY 1, 2
  LIMIT 10`;

/** Read-only looks at what was counted, past all of Hopcount's own code. */
export class Ledger {
  readonly hosts: HostSumsOf;

  private constructor(private readonly client: Pool) {
    this.hosts = new HostSumsOf(
      async (statement) => (await client.query<{ key: string; visits: number }>(statement)).rows,
    );
  }

  static async open(databaseUrl: string): Promise<Ledger> {
    // A pool, because it connects again after the database was restarted under the test.
    const client = new Pool({ connectionString: databaseUrl, application_name: 'hopcount-system-tests', max: 1 });
    client.on('error', () => undefined);
    await client.query('SELECT 1');
    return new Ledger(client);
  }

  async visits(linkIds: readonly string[]): Promise<CountedVisit[]> {
    const { rows } = await this.client.query<{ event_id: string; link_id: string; nonce: string | null }>(
      `SELECT event_id::text, link_id::text, utm ->> 'content' AS nonce FROM visits WHERE link_id = ANY($1::bigint[])`,
      [linkIds],
    );
    return rows.map((row) => ({ eventId: row.event_id, linkId: row.link_id, nonce: row.nonce }));
  }

  async allVisits(): Promise<Pick<CountedVisit, 'eventId' | 'linkId'>[]> {
    const { rows } = await this.client.query<{ event_id: string; link_id: string }>(
      'SELECT event_id::text, link_id::text FROM visits',
    );
    return rows.map((row) => ({ eventId: row.event_id, linkId: row.link_id }));
  }

  /** As the column has it. */
  async mostFrequentVisitor(linkIds: readonly string[]): Promise<string> {
    const { rows } = await this.client.query<{ visitor: string }>(
      `SELECT visitor::text FROM visits WHERE link_id = ANY($1::bigint[]) AND visitor IS NOT NULL
       GROUP BY visitor ORDER BY count(*) DESC, visitor LIMIT 1`,
      [linkIds],
    );
    return rows[0]?.visitor ?? '';
  }

  /** What each link's statistics over all time have to say. */
  async totals(): Promise<Map<string, { visits: number; visitors: number; ips: number }>> {
    const { rows } = await this.client.query<Record<'link_id' | 'visits' | 'visitors' | 'ips', string>>(
      `SELECT link_id::text, count(*) AS visits, count(DISTINCT visitor) AS visitors, count(DISTINCT ip) AS ips
       FROM visits GROUP BY link_id`,
    );
    const numbers = (row: (typeof rows)[number]) => ({
      visits: Number(row.visits),
      visitors: Number(row.visitors),
      ips: Number(row.ips),
    });
    return new Map(rows.map((row) => [row.link_id, numbers(row)]));
  }

  /** Files on disk that the manifest knows in this state. */
  async archiveFiles(state: 'active' | 'damaged'): Promise<{ id: string; path: string }[]> {
    const { rows } = await this.client.query<{ id: string; path: string }>(
      'SELECT id, path FROM archive_files WHERE state = $1 AND deleted_at IS NULL ORDER BY period_start, id',
      [state],
    );
    return rows;
  }

  /** Before it all visits of the link are gone, epoch milliseconds; undefined when nothing was purged. */
  async purgedBefore(linkId: string): Promise<number | undefined> {
    const { rows } = await this.client.query<{ purged_before: Date | null }>(
      'SELECT purged_before FROM links WHERE id = $1',
      [linkId],
    );
    return rows[0]?.purged_before?.getTime();
  }

  /** Visitors of a link who were told that it is blocked. */
  async blockedVisits(code: string): Promise<number> {
    const { rows } = await this.client.query<{ found: string }>(
      'SELECT count(*) AS found FROM orphan_visits WHERE type = 3 AND path = $1',
      [`/${code}`],
    );
    return Number(rows[0]?.found);
  }

  /** How many of these events are counted. */
  async countEvents(eventIds: readonly string[]): Promise<number> {
    const times = eventIds.map(eventIdTimeMs);
    const { rows } = await this.client.query<{ found: string }>(
      `SELECT count(*) AS found FROM visits WHERE event_id = ANY($1::uuid[]) AND occurred_at BETWEEN $2 AND $3`,
      [eventIds, new Date(Math.min(...times)), new Date(Math.max(...times))],
    );
    return Number(rows[0]?.found);
  }

  /** Visits of each link according to every table that keeps a number of them. */
  async sums(
    linkIds: readonly string[],
  ): Promise<Record<'ledger' | 'slots' | 'traffic' | 'totals', Map<string, number>>> {
    const count = async (from: string) => {
      const { rows } = await this.client.query<{ link_id: string; visits: string }>(
        `SELECT link_id::text, ${from} WHERE link_id = ANY($1::bigint[]) GROUP BY link_id ORDER BY link_id`,
        [linkIds],
      );
      // Of a link that was purged some keep a row, others none.
      return new Map(rows.filter((row) => row.visits !== '0').map((row) => [row.link_id, Number(row.visits)]));
    };
    return {
      ledger: await count('count(*) AS visits FROM visits'),
      slots: await count('sum(visits) AS visits FROM link_visit_slots'),
      traffic: await count('sum(visits) AS visits FROM link_traffic'),
      totals: await count('sum(visits) AS visits FROM link_totals'),
    };
  }

  /** [visits of all sources as committed, rows of the ledger and ids of purged visits] */
  async sourceTraffic(): Promise<[number, number]> {
    const { rows } = await this.client.query<{ sources: string; ledger: string }>(
      `SELECT (SELECT coalesce(sum(visits), 0) FROM source_traffic) AS sources,
         (SELECT count(*) FROM visits) + (SELECT count(*) FROM purged_visits) AS ledger`,
    );
    return [Number(rows[0]?.sources), Number(rows[0]?.ledger)];
  }

  /** Quarter hours and classes in which hosts of all targets, or of all short URLs, have other visits than all links together. */
  async differentHostSums(): Promise<{ bucket: Date; class: number; sums: string[] }[]> {
    const { rows } = await this.client.query<{ bucket: Date; class: number; sums: string[] }>(DIFFERENT_HOST_SUMS);
    return rows;
  }

  /** Batches of counts of hosts that were accepted and wait. */
  async batchesNotCounted(): Promise<number> {
    const { rows } = await this.client.query<{ found: string }>(
      'SELECT count(*) AS found FROM host_batches WHERE settled_at IS NULL',
    );
    return Number(rows[0]?.found);
  }

  /** Makes a stored number wrong on purpose: a check that cannot fail proves nothing. */
  async tamper(statement: string): Promise<void> {
    await this.client.query(statement);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
