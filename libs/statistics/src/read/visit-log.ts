import type { ArchiveReader } from '@hopcount/archive';
import { type InstantRange, toIso } from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { cutBuckets } from './cut-buckets.js';
import { rangeColumns } from './link-folds.js';
import { Snapshots } from './snapshot.js';
import { filterOf, type LoggedRequest, type LogQuery, type LogRow, toLogged } from './request-log.js';

const LIST_VISITS = loadSql(import.meta.url, 'sql/list-visits.sql');
const COUNT_VISITS = loadSql(import.meta.url, 'sql/count-visits.sql');

export interface VisitLogQuery extends LogQuery {
  linkId: string;
}

export interface LoggedVisit extends LoggedRequest {
  destination: string | null;
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

/** As list-visits.sql names them, but the instant. */
const COLUMNS = `event_id::VARCHAR AS "eventId", epoch_ms(occurred_at)::DOUBLE AS "occurredAt", class, referrer,
  user_agent AS "userAgent", destination, country, region, city,
  latitude::VARCHAR::DOUBLE AS latitude, longitude::VARCHAR::DOUBLE AS longitude, os, browser, device,
  referrer_host AS "referrerHost", language`;

/**
 * The access records of one link, newest first, in pages by number (as Shlink's clients ask for them). Months that the
 * ledger dropped come from files, after all that is newer.
 */
export class VisitLog {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'link'>,
  ) {
    this.#snapshots = new Snapshots(database);
  }

  /** One snapshot for rows and total. A page far behind costs an index scan up to it. */
  async page(query: VisitLogQuery): Promise<VisitLogPage> {
    return this.#snapshots.run((tx) => this.#page(tx, query));
  }

  async #page(tx: Transaction, query: VisitLogQuery): Promise<VisitLogPage> {
    const [row] = await tx.query<{ kept_from: Date }>('SELECT kept_from FROM ledger_retention');
    const keptFrom = row?.kept_from.getTime() ?? Number.NEGATIVE_INFINITY;
    const offset = (query.page - 1) * query.itemsPerPage;
    const kept = { ...query, from: later(query.from, keptFrom) };
    const inLedger = await countVisits(tx, kept);
    const visits = offset < inLedger ? await listVisits(tx, kept, offset) : [];
    const past = { linkId: query.linkId, from: query.from ?? 0, to: Math.min(query.to ?? keptFrom, keptFrom) };
    if (past.from >= past.to) return { total: inLedger, visits };
    const limit = query.itemsPerPage - visits.length;
    const cut = cutBuckets(past, []);
    // Most of the time only the total is about them, and buckets know it: files are opened for what they alone know.
    const inBuckets = inLedger + (await countBuckets(tx, { ...query, ...past }, cut.buckets));
    if (cut.ranges.length === 0 && (limit === 0 || offset >= inBuckets)) return { total: inBuckets, visits };
    const exceptClasses = filterOf(query)[2];
    return this.archive.link(tx, past, async ({ files }) => {
      const edges = (await files?.countEdges(cut.ranges, [past.from])) ?? [];
      const atEdges = edges.filter((edge) => !exceptClasses.includes(edge.class));
      const total = atEdges.reduce((sum, edge) => sum + edge.visits, inBuckets);
      const page = { exceptClasses, limit, offset: Math.max(0, offset - inLedger) };
      const older = limit === 0 ? [] : await files?.list<LogRow<LoggedVisit>>(COLUMNS, page);
      return { total, visits: [...visits, ...(older ?? []).map(toLogged)] };
    });
  }
}

function later(from: number | undefined, keptFrom: number): number | undefined {
  return keptFrom === Number.NEGATIVE_INFINITY ? from : Math.max(from ?? keptFrom, keptFrom);
}

/** `except` those that a limit cuts in two, and with `edges` what lies in the range of those. */
async function countBuckets(
  tx: Transaction,
  query: VisitLogQuery,
  except: readonly number[],
  edges: readonly InstantRange[] = [],
): Promise<number> {
  const [row] = await tx.query<{ visits: number }>(COUNT_VISITS, [
    query.linkId,
    ...filterOf(query),
    except.map(toIso),
    ...rangeColumns(edges),
  ]);
  return row?.visits ?? 0;
}

async function countVisits(tx: Transaction, query: VisitLogQuery): Promise<number> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query;
  if (from >= to) return 0;
  const cut = cutBuckets({ from, to }, []);
  return countBuckets(tx, query, cut.buckets, cut.ranges);
}

async function listVisits(tx: Transaction, query: VisitLogQuery, offset: number): Promise<LoggedVisit[]> {
  const values = [query.linkId, ...filterOf(query), query.itemsPerPage, offset];
  return (await tx.query<LogRow<LoggedVisit>>(LIST_VISITS, values)).map(toLogged);
}
