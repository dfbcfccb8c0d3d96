import { setTimeout as sleep } from 'node:timers/promises';

import { eventIdTimeMs, orphanVisitTypeFromNumber } from '@hopcount/contracts';
import { FEED_KEPT_MINUTES, toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import type { LoggedOrphan, OrphanRow } from '../read/orphan-log.js';
import { type LoggedVisit, type LogRow, toLogged } from '../read/request-log.js';
import type { FeedCursor } from './feed-cursor.js';

const WANT_FEED = loadSql(import.meta.url, 'sql/want-feed.sql');
const READ_FEED = loadSql(import.meta.url, 'sql/read-feed.sql');
const READ_VISITS = loadSql(import.meta.url, 'sql/read-visits.sql');
const READ_ORPHANS = loadSql(import.meta.url, 'sql/read-orphans.sql');
const TAKE_HORIZON = 'SELECT pg_current_xact_id()::text AS horizon';
const SNAPSHOT = `SELECT pg_current_snapshot()::text AS snapshot,
  pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS passed`;
const IS_WHOLE = `SELECT pg_snapshot_xmin($1::pg_snapshot) > gone_through AS whole,
  pg_snapshot_xmax(coalesce($2::pg_snapshot, $1::pg_snapshot)) <= pg_snapshot_xmax(pg_current_snapshot()) AS past
  FROM visit_feed_state`;

/** Batches of commits read at once: some thousand visits, which every reader that is behind holds in memory. */
const ROWS = 2;
const HORIZON_WAIT_MS = 2_000;
const HORIZON_PAUSE_MS = 10;

export interface FeedEvent {
  eventId: string;
  /** null: an orphan visit. */
  linkId: string | null;
  /** Where to go on after it. */
  cursor: FeedCursor;
}

export interface FeedPart {
  events: FeedEvent[];
  /** Where to go on after all of them. */
  next: FeedCursor;
  /** Nothing is left up to what was asked for. */
  isEnd: boolean;
}

interface FeedRow {
  until: string;
  xid: string | null;
  id: string;
  event_ids: string[];
  link_ids: string[] | null;
}

/** Visits in the order in which they were found committed: each once, none left out, from a cursor on. */
export class VisitFeed {
  constructor(private readonly database: Database) {}

  /** Commits write the feed for the next minutes; to be called again while it is followed. */
  async want(): Promise<void> {
    await this.database.execute(WANT_FEED, [FEED_KEPT_MINUTES]);
  }

  /**
   * Where the feed is now: every visit committed after this call is behind the cursor. A commit under way may not have seen that
   * the feed is wanted: it is waited for.
   */
  async begin(): Promise<FeedCursor> {
    await this.want();
    const [row] = await this.database.query<{ horizon: string }>(TAKE_HORIZON);
    const deadlineMs = performance.now() + HORIZON_WAIT_MS;
    for (;;) {
      const [now] = await this.database.query<{ snapshot: string; passed: boolean }>(SNAPSHOT, [row?.horizon]);
      if (now === undefined) throw new Error('no snapshot');
      if (now.passed || performance.now() > deadlineMs) return { seen: now.snapshot };
      await sleep(HORIZON_PAUSE_MS);
    }
  }

  /** Whether nothing behind the cursor is gone; undefined: it is of another database's life. */
  async isWhole({ seen, within }: FeedCursor): Promise<boolean | undefined> {
    const [row] = await this.database.query<{ whole: boolean; past: boolean }>(IS_WHOLE, [seen, within?.until]);
    return row?.past === true ? row.whole : undefined;
  }

  /** Some events behind the cursor. `until`: not beyond the place of this cursor. */
  async read(cursor: FeedCursor, until?: FeedCursor): Promise<FeedPart> {
    const { seen, within } = cursor;
    const from = [within?.xid ?? '0', within?.id ?? '0'];
    const upTo = within?.until ?? until?.seen ?? null;
    const rows = await this.database.query<FeedRow>(READ_FEED, [seen, upTo, ...from, ROWS]);
    const reached = rows[0]?.until ?? seen;
    const found = rows.filter((row) => row.xid !== null);
    const events = found.flatMap((row) => eventsOf(row, cursor, reached));
    const isEnd = found.length < ROWS;
    return { events, next: isEnd ? { seen: reached } : (events.at(-1)?.cursor ?? cursor), isEnd };
  }

  async visits(events: readonly FeedEvent[]): Promise<Map<string, LoggedVisit>> {
    const rows = await this.database.query<LogRow<LoggedVisit>>(READ_VISITS, keysOf(events));
    return new Map(rows.map((row) => [row.eventId, toLogged(row)]));
  }

  async orphans(events: readonly FeedEvent[]): Promise<Map<string, LoggedOrphan>> {
    const rows = await this.database.query<OrphanRow>(READ_ORPHANS, keysOf(events));
    return new Map(rows.map((row) => [row.eventId, { ...toLogged(row), type: orphanVisitTypeFromNumber(row.type) }]));
  }
}

function eventsOf(row: FeedRow, { seen, within }: FeedCursor, until: string): FeedEvent[] {
  const { xid, id } = row;
  if (xid === null) return [];
  const behind = within?.xid === xid && within.id === id ? within.index + 1 : 0;
  return row.event_ids.slice(behind).map((eventId, nth) => {
    const index = behind + nth;
    return { eventId, linkId: row.link_ids?.[index] ?? null, cursor: { seen, within: { until, xid, id, index } } };
  });
}

function keysOf(events: readonly FeedEvent[]): [string[], string[]] {
  return [events.map(({ eventId }) => toIso(eventIdTimeMs(eventId))), events.map(({ eventId }) => eventId)];
}
