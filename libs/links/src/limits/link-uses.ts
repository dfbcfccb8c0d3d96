import { loadPreparedSql, type Queryable } from '@hopcount/postgres';

const TAKE_USES = loadPreparedSql(import.meta.url, 'sql/take-uses.sql');
const GIVE_BACK_USES = loadPreparedSql(import.meta.url, 'sql/give-back-uses.sql');
const END_USES =
  'UPDATE link_uses SET ended_at = clock_timestamp() WHERE event_id = ANY ($1::uuid[]) AND ended_at IS NULL';
const LIST_SOURCES = 'SELECT DISTINCT source FROM link_uses WHERE spool = $1 AND source <> $2 AND ended_at IS NULL';
const END_SOURCES = `UPDATE link_uses SET ended_at = clock_timestamp()
  WHERE spool = $1 AND source = ANY ($2) AND ended_at IS NULL`;

export interface UseAsked {
  linkId: string;
  /** Of the visit that would use the link; null: only whether there is a use left. */
  eventId: string | null;
}

/**
 * Uses of links with a limit, as PostgreSQL decides them: taken for a visit before it is published, open until that visit
 * is counted (by the consumer's commit) or the use is given back. Each method is one statement.
 */
export class LinkUses {
  /**
   * @param taker source: name of the gateway process; spool: UUID of the folder in which it may leave visits behind
   */
  constructor(
    private readonly database: Queryable,
    private readonly taker: { source: string; spool: string },
  ) {}

  /** In order of arrival: true where a use was taken (or is left). An event id must never be asked for again. */
  async take(asked: readonly UseAsked[]): Promise<boolean[]> {
    const rows = await this.database.query<{ is_free: boolean }>(TAKE_USES, [
      asked.map(({ eventId }) => eventId),
      asked.map(({ linkId }) => linkId),
      this.taker.source,
      this.taker.spool,
    ]);
    return rows.map(({ is_free: isFree }) => isFree);
  }

  /** Of visits that are nowhere and never will be. May be repeated. */
  async giveBack(eventIds: readonly string[]): Promise<void> {
    await this.database.query(GIVE_BACK_USES, [eventIds]);
  }

  /** Of visits that may have come to Kafka and will not be published again: the worker finds out. May be repeated. */
  async end(eventIds: readonly string[]): Promise<void> {
    await this.database.query(END_USES, [eventIds]);
  }

  /** Other processes with open uses that share the spool. */
  async otherSources(): Promise<string[]> {
    const rows = await this.database.query<{ source: string }>(LIST_SOURCES, [this.taker.spool, this.taker.source]);
    return rows.map(({ source }) => source);
  }

  /** As {@link end}, of all open uses of processes that are gone with nothing left in the spool. */
  async endSources(sources: readonly string[]): Promise<void> {
    await this.database.query(END_SOURCES, [this.taker.spool, sources]);
  }
}
