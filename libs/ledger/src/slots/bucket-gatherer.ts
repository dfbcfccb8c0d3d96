import { type Database, loadSql, postgresErrorCode } from '@hopcount/postgres';

import { DAY_MS, floorTo, HOUR_MS, toIso } from '../buckets.js';

const FIND_BUSY_LINKS = loadSql(import.meta.url, 'sql/find-busy-links.sql');
const GATHER_BUCKETS = loadSql(import.meta.url, 'sql/gather-buckets.sql');
const FIND_FIRST = `SELECT min(bucket) AS first FROM scope_traffic WHERE scope = 'all' AND scope_id = ''
  AND bucket >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity')`;
/** A purge takes away what buckets say of dropped months without a look at visits: none is dropped in the meantime. */
const KEEP_MONTHS = 'LOCK TABLE ONLY visits IN ACCESS SHARE MODE';
/** Shorter than PostgreSQL's deadlock_timeout: in a ring of waits it is never a commit that is ended. */
const GIVE_UP_AFTER = "SET LOCAL lock_timeout = '200ms'";
const LOCK_NOT_AVAILABLE = '55P03';

/** Of a link and day: fewer are not worth their writing. A page has room for about 96. */
const LEAST = { ofADay: 32, ofAPage: 12 };
/** Of one transaction, or those of one link. */
const ROWS_PER_ROUND = 2_000;
/** By then slots are merged, and next to nobody adds to the day any more. */
const CLOSED_AFTER_MS = 3 * HOUR_MS;

interface BusyLink {
  id: string;
  buckets: number;
}

/**
 * Commits write buckets in the order of time, so those of one link lie on as many pages as there are, and reading 400 days of
 * them takes longer than adding them up. Once a day is over, its buckets of busy links are written anew, link by link: the
 * same rows on a few pages. Exact while commits and purges go on, as SlotMerger is. What was done is not noted: rows that lie
 * together are left alone, so each process looks at the ledger's days once.
 */
export class BucketGatherer {
  #nextDay: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly least = LEAST,
  ) {}

  /** All days until now; told to stop, it goes on with the day in the next run. @returns how many buckets were written anew */
  async gather(nowMs: number, signal?: AbortSignal): Promise<number> {
    const closedBefore = floorTo(nowMs - CLOSED_AFTER_MS, DAY_MS);
    this.#nextDay ??= await this.#firstDay();
    let gathered = 0;
    while (this.#nextDay !== undefined && this.#nextDay < closedBefore) {
      gathered += await this.#gatherDay(this.#nextDay, signal);
      if (signal?.aborted === true) break;
      this.#nextDay += DAY_MS;
    }
    return gathered;
  }

  async #firstDay(): Promise<number | undefined> {
    const [row] = await this.database.query<{ first: Date | null }>(FIND_FIRST);
    return row?.first ? floorTo(row.first.getTime(), DAY_MS) : undefined;
  }

  async #gatherDay(day: number, signal: AbortSignal | undefined): Promise<number> {
    const range = [toIso(day), toIso(day + DAY_MS)];
    const busy = await this.database.query<BusyLink>(FIND_BUSY_LINKS, [...range, this.least.ofADay]);
    let gathered = 0;
    for (const links of someAtOnce(busy)) {
      if (signal?.aborted === true) break;
      gathered += await this.#gatherSome(links, range);
    }
    return gathered;
  }

  async #gatherSome(links: readonly string[], range: readonly string[]): Promise<number> {
    try {
      return await this.database.transaction(async (tx) => {
        await tx.query(GIVE_UP_AFTER);
        await tx.query(KEEP_MONTHS);
        const [row] = await tx.query<{ rows: number }>(GATHER_BUCKETS, [links, ...range, this.least.ofAPage]);
        return row?.rows ?? 0;
      });
    } catch (error) {
      // Somebody holds what is needed; the rows are as they were, and the next process looks at them again.
      if (postgresErrorCode(error) === LOCK_NOT_AVAILABLE) return 0;
      throw error;
    }
  }
}

function* someAtOnce(busy: readonly BusyLink[]): Generator<string[]> {
  let [links, rows]: [string[], number] = [[], 0];
  for (const { id, buckets } of busy) {
    if (rows > 0 && rows + buckets > ROWS_PER_ROUND) {
      yield links;
      [links, rows] = [[], 0];
    }
    links.push(id);
    rows += buckets;
  }
  if (links.length > 0) yield links;
}
