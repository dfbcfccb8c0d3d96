import { type ArchiveReader, readKeptFrom } from '@hopcount/archive';
import { BUCKET_MS, type InstantRange } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { cutBuckets } from './cut-buckets.js';
import { LedgerVisits } from './ledger-visits.js';
import { FILE_COLUMNS, filterOf, type LoggedVisit, type LogQuery, type LogRow, toLogged } from './request-log.js';
import { Snapshots } from './snapshot.js';
import { ScopeTables, type VisitScope } from './visit-scope.js';
import { type BucketPlace, walkBuckets } from './walk-buckets.js';

export interface VisitLogQuery extends LogQuery {
  /** Of the scope only what is in it. */
  reach: Reach;
  scope: VisitScope;
}

export interface VisitLogPage {
  visits: LoggedVisit[];
  /** Visits on all pages together. */
  total: number;
}

/**
 * The access records of a link, a tag, a domain or of all links, newest first, in pages by number (as Shlink's clients
 * ask for them). Buckets say where a page lies; months that the ledger dropped come from files, after all that is newer.
 */
export class VisitLog {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'dropped'>,
  ) {
    this.#snapshots = new Snapshots(database);
  }

  /** One snapshot for rows and total. A page costs the scope's buckets, and the visits of those it touches. */
  async page(query: VisitLogQuery): Promise<VisitLogPage> {
    const { from = 0, to = Infinity } = query;
    if (from >= to) return { visits: [], total: 0 };
    return this.#snapshots.run((tx) => this.#page(tx, query));
  }

  async #page(tx: Transaction, query: VisitLogQuery): Promise<VisitLogPage> {
    const tables = await ScopeTables.open(tx, query.reach, query.scope);
    const source = {
      tx,
      tables,
      ledger: new LedgerVisits(tx, tables),
      exceptClasses: filterOf(query)[2],
      keptFrom: await readKeptFrom(tx),
    };
    const page = { offset: (query.page - 1) * query.itemsPerPage, limit: query.itemsPerPage };
    const { from, to } = query;
    const cut = await this.#countEdges(source, { from: from ?? Number.NEGATIVE_INFINITY, to: to ?? Infinity });
    const { total, places } = await walkBuckets(tx, tables, { ...source, from, to, cut, ...page });
    const kept = places.filter(({ bucket }) => bucket >= source.keptFrom);
    const dropped = places.slice(kept.length);
    const newer = await this.#listKept(source, query, kept, page);
    return { total, visits: [...newer, ...(await this.#listDropped(source, query, dropped, page))] };
  }

  /** Of the buckets that a limit cuts in two, visit by visit. */
  async #countEdges(source: Source, range: InstantRange) {
    const { buckets, ranges } = cutBuckets(range, []);
    const cut: { bucket: number; visits: number }[] = [];
    for (const [nth, bucket] of buckets.entries()) {
      const edge = { ...(ranges[nth] ?? range), exceptClasses: source.exceptClasses };
      const visits =
        bucket >= source.keptFrom
          ? await source.ledger.count(edge)
          : await this.archive.dropped.count(source.tx, { ...edge, linkIds: await linksIn(source.tables, edge) });
      cut.push({ bucket, visits });
    }
    return cut;
  }

  async #listKept(source: Source, query: VisitLogQuery, places: readonly BucketPlace[], page: Page) {
    const [first] = places;
    if (first === undefined) return [];
    const question = { ...spanOf(places, query), exceptClasses: source.exceptClasses };
    return source.ledger.list(question, { limit: page.limit, offset: Math.max(0, page.offset - first.newer) });
  }

  async #listDropped(source: Source, query: VisitLogQuery, places: readonly BucketPlace[], page: Page) {
    if (places.length === 0) return [];
    const span = spanOf(places, query);
    const { exceptClasses } = source;
    const question = { ...span, exceptClasses, linkIds: await linksIn(source.tables, span) };
    const rows = await this.archive.dropped.list<LogRow<LoggedVisit>>(source.tx, question, FILE_COLUMNS, {
      ...page,
      places,
    });
    return rows.map(toLogged);
  }
}

interface Source {
  tx: Transaction;
  tables: ScopeTables;
  ledger: LedgerVisits;
  exceptClasses: readonly number[];
  keptFrom: number;
}

interface Page {
  offset: number;
  limit: number;
}

/** From the oldest to the newest of the buckets (they descend), within the range that was asked for. */
function spanOf(places: readonly BucketPlace[], { from, to }: VisitLogQuery): InstantRange {
  const [oldest, newest] = [places.at(-1)?.bucket ?? 0, places[0]?.bucket ?? 0];
  return { from: Math.max(from ?? oldest, oldest), to: Math.min(to ?? Infinity, newest + BUCKET_MS) };
}

/** Links to look for in files; undefined: all. */
async function linksIn(tables: ScopeTables, range: InstantRange): Promise<string[] | undefined> {
  const { ordered } = tables;
  if (ordered !== undefined) return ordered.linkId === null ? undefined : [ordered.linkId];
  return [...new Set((await tables.busyLinks(range)).linkIds)];
}
