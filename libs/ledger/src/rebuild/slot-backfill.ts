import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { BOT_CLASSES } from '../slots/bot-classes.js';
import { rebuildTransaction } from './rebuild-transaction.js';

const sql = (name: string) => loadSql(import.meta.url, `sql/${name}.sql`);
const OPEN = sql('open-backfill');
const READ = `SELECT after_link, links::float8 AS links, filled::float8 AS filled, started_at, finished_at FROM slot_backfill`;
const ADVANCE = `UPDATE slot_backfill
  SET after_link = $1, links = links + $2, filled = filled + $3, updated_at = now()`;
const FINISH = 'UPDATE slot_backfill SET updated_at = now(), finished_at = now()';
const NEXT_LINKS = sql('next-links');
const ADD_MISSING_TO_SLOTS = sql('add-missing-to-slots');
const ASK_FOR_TOTALS = sql('ask-for-totals');
const COUNT_WRONG_COUNTERS = sql('count-wrong-counters');

export interface SlotBackfillOptions {
  signal?: AbortSignal;
  /** Links of one transaction. */
  chunkLinks?: number;
  /** Forget how far an unfinished one has come. */
  startOver?: boolean;
  /** Called after each chunk and waited for, so that it can slow the backfill down. */
  onProgress?: (progress: BackfillProgress) => void | Promise<void>;
}

export interface BackfillProgress {
  /** Links looked at, and counters that were not what the buckets say, since it began. */
  links: number;
  filled: number;
  startedAt: number;
  finishedAt: number | null;
}

type BackfillRow = { after_link: string; links: number; filled: number; started_at: Date; finished_at: Date | null };

/**
 * Fills the slots of links whose counters are missing or wrong from `link_traffic` (which outlives the
 * ledger's months) and has their totals made, while visits are being counted. Goes from link to link and keeps its
 * position in the transaction of each chunk: killed anywhere, it goes on from there. Doing a chunk twice adds nothing.
 */
export class SlotBackfill {
  constructor(private readonly database: Database) {}

  /** How far the current or the last one came; null when there never was one. */
  async progress(): Promise<BackfillProgress | null> {
    const [row] = await this.database.query<BackfillRow>(READ);
    return row === undefined ? null : toProgress(row);
  }

  /** How many counters it would find wrong now: reads all buckets and slots, changes nothing. */
  async countWrong(): Promise<number> {
    const [row] = await this.database.query<{ counters: number }>(COUNT_WRONG_COUNTERS, [BOT_CLASSES]);
    return row?.counters ?? 0;
  }

  /** Goes on with the one that was left, or begins one; until it is finished or `signal` aborts. */
  async run(options: SlotBackfillOptions = {}): Promise<BackfillProgress> {
    const chunkLinks = options.chunkLinks ?? 500;
    await this.database.query(OPEN, [options.startOver ?? false]);
    for (;;) {
      const linkIds =
        options.signal?.aborted === true
          ? []
          : await rebuildTransaction(this.database, (tx) => this.#fillChunk(tx, chunkLinks));
      const progress = await this.progress();
      if (progress === null) throw new Error('the row of the backfill was removed while it ran');
      await options.onProgress?.(progress);
      if (linkIds.length === 0) return progress;
    }
  }

  /** @returns the links of the chunk; none: all are done. */
  async #fillChunk(tx: Transaction, chunkLinks: number): Promise<string[]> {
    const [position] = await tx.query<BackfillRow>(READ);
    if (position === undefined || position.finished_at !== null) return [];
    const rows = await tx.query<{ link_id: string }>(NEXT_LINKS, [position.after_link, chunkLinks]);
    const linkIds = rows.map((row) => row.link_id);
    const last = linkIds.at(-1);
    if (last === undefined) {
      await tx.query(FINISH);
      return [];
    }
    const [added] = await tx.query<{ counters: number }>(ADD_MISSING_TO_SLOTS, [linkIds, BOT_CLASSES]);
    await tx.query(ASK_FOR_TOTALS, [linkIds]);
    await tx.query(ADVANCE, [last, linkIds.length, added?.counters ?? 0]);
    return linkIds;
  }
}

function toProgress(row: BackfillRow): BackfillProgress {
  return {
    links: row.links,
    filled: row.filled,
    startedAt: row.started_at.getTime(),
    finishedAt: row.finished_at?.getTime() ?? null,
  };
}
