import { type VisitClass, visitClassFromNumber } from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { BOT_CLASSES, toIso } from '@hopcount/ledger';
import { cutBuckets } from './cut-buckets.js';

const LIST_VISITS = loadSql(import.meta.url, 'sql/list-visits.sql');
const COUNT_VISITS = loadSql(import.meta.url, 'sql/count-visits.sql');

export interface VisitLogQuery {
  linkId: string;
  /** [from, to), epoch milliseconds; open where absent. */
  from?: number | undefined;
  to?: number | undefined;
  /** Leaves out bots, previews and prefetches. */
  excludeBots: boolean;
  /** From 1. */
  page: number;
  itemsPerPage: number;
}

export interface LoggedVisit {
  eventId: string;
  /** Epoch milliseconds. */
  occurredAt: number;
  class: VisitClass;
  referrer: string | null;
  userAgent: string | null;
  destination: string | null;
  /** UNKNOWN where nothing was found. */
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
  os: string;
  browser: string;
  device: string;
  referrerHost: string;
  language: string;
}

export interface VisitLogPage {
  visits: LoggedVisit[];
  /** Visits on all pages together. */
  total: number;
}

/** The access records of one link, newest first, in pages by number (as Shlink's clients ask for them). */
export class VisitLog {
  constructor(private readonly database: Database) {}

  /** One snapshot for rows and total. A page far behind costs an index scan up to it. */
  async page(query: VisitLogQuery): Promise<VisitLogPage> {
    return this.database.transaction(
      async (tx) => {
        const total = await countVisits(tx, query);
        const offset = (query.page - 1) * query.itemsPerPage;
        return { total, visits: offset < total ? await listVisits(tx, query, offset) : [] };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

async function countVisits(tx: Transaction, query: VisitLogQuery): Promise<number> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query;
  if (from >= to) return 0;
  const cut = cutBuckets({ from, to }, []);
  const rows = await tx.query<{ visits: number }>(COUNT_VISITS, [
    ...filterColumns(query),
    cut.buckets.map(toIso),
    cut.ranges.map((range) => toIso(range.from)),
    cut.ranges.map((range) => toIso(range.to)),
  ]);
  return rows[0]?.visits ?? 0;
}

async function listVisits(tx: Transaction, query: VisitLogQuery, offset: number): Promise<LoggedVisit[]> {
  const rows = await tx.query<LogRow>(LIST_VISITS, [...filterColumns(query), query.itemsPerPage, offset]);
  return rows.map(toLoggedVisit);
}

function filterColumns(query: VisitLogQuery): unknown[] {
  return [
    query.linkId,
    query.from === undefined ? null : toIso(query.from),
    query.to === undefined ? null : toIso(query.to),
    query.excludeBots ? BOT_CLASSES : [],
  ];
}

interface LogRow {
  event_id: string;
  occurred_at: Date;
  class: number;
  referrer: string | null;
  user_agent: string | null;
  destination: string | null;
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
  os: string;
  browser: string;
  device: string;
  referrer_host: string;
  language: string;
}

function toLoggedVisit(row: LogRow): LoggedVisit {
  return {
    eventId: row.event_id,
    occurredAt: row.occurred_at.getTime(),
    class: visitClassFromNumber(row.class),
    referrer: row.referrer,
    userAgent: row.user_agent,
    destination: row.destination,
    country: row.country,
    region: row.region,
    city: row.city,
    latitude: row.latitude,
    longitude: row.longitude,
    os: row.os,
    browser: row.browser,
    device: row.device,
    referrerHost: row.referrer_host,
    language: row.language,
  };
}
