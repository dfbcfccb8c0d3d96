import {
  type OrphanVisitType,
  orphanVisitTypeFromNumber,
  orphanVisitTypeNumber,
  type VisitClass,
  visitClassFromNumber,
} from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

import { BOT_CLASSES, toIso } from '@hopcount/ledger';

const LIST_ORPHANS = loadSql(import.meta.url, 'sql/list-orphans.sql');
const COUNT_ORPHANS = loadSql(import.meta.url, 'sql/count-orphans.sql');

export interface OrphanLogQuery {
  /** [from, to), epoch milliseconds; open where absent. */
  from?: number | undefined;
  to?: number | undefined;
  type?: OrphanVisitType | undefined;
  /** Leaves out bots, previews and prefetches. */
  excludeBots: boolean;
  /** From 1. */
  page: number;
  itemsPerPage: number;
}

export interface LoggedOrphan {
  eventId: string;
  /** Epoch milliseconds. */
  occurredAt: number;
  type: OrphanVisitType;
  class: VisitClass;
  domain: string;
  path: string;
  referrer: string | null;
  userAgent: string | null;
  /** UNKNOWN where nothing was found. */
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
}

type OrphanRow = Omit<LoggedOrphan, 'eventId' | 'occurredAt' | 'type' | 'class' | 'userAgent'> & {
  event_id: string;
  occurred_at: Date;
  type: number;
  class: number;
  user_agent: string | null;
};

/** Orphan visits, newest first, in pages by number. */
export class OrphanLog {
  constructor(private readonly database: Database) {}

  /** One snapshot for rows and total. */
  async page(query: OrphanLogQuery): Promise<{ visits: LoggedOrphan[]; total: number }> {
    const filter = [
      query.from === undefined ? null : toIso(query.from),
      query.to === undefined ? null : toIso(query.to),
      query.excludeBots ? BOT_CLASSES : [],
      query.type === undefined ? null : orphanVisitTypeNumber(query.type),
    ];
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ visits: number }>(COUNT_ORPHANS, filter);
        const total = count?.visits ?? 0;
        const offset = (query.page - 1) * query.itemsPerPage;
        if (offset >= total) return { total, visits: [] };
        const rows = await tx.query<OrphanRow>(LIST_ORPHANS, [...filter, query.itemsPerPage, offset]);
        return { total, visits: rows.map(toLoggedOrphan) };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

function toLoggedOrphan(row: OrphanRow): LoggedOrphan {
  const { event_id: eventId, occurred_at: occurredAt, type, class: visitClass, user_agent: userAgent, ...rest } = row;
  return {
    ...rest,
    eventId,
    occurredAt: occurredAt.getTime(),
    type: orphanVisitTypeFromNumber(type),
    class: visitClassFromNumber(visitClass),
    userAgent,
  };
}
