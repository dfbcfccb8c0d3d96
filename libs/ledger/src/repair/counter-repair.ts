import { classifyPostgresError, type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { BOT_CLASSES } from '../slots/bot-classes.js';
import { LOCK_REBUILD } from './lock-rebuild.js';

const sql = (name: string) => loadSql(import.meta.url, `sql/${name}.sql`);
const OPEN_REPAIR = sql('open-repair');
const READ_REPAIR = sql('read-repair');
const ADVANCE_REPAIR = sql('advance-repair');
const FINISH_REPAIR = 'UPDATE statistics_repairs SET updated_at = now(), finished_at = now() WHERE name = $1';
const NEXT_LINKS = sql('next-links');
const ADD_MISSING_TO_SLOTS = sql('add-missing-to-slots');
const ASK_FOR_TOTALS = sql('ask-for-totals');
const ASK_FOR_FOLDS = sql('ask-for-folds');
const COUNT_WRONG_COUNTERS = sql('count-wrong-counters');

const NAME = 'counters';

export interface CounterRepairOptions {
  signal?: AbortSignal;
  /** Links of one transaction. */
  chunkLinks?: number;
  /** Forget how far an unfinished repair has come. */
  startOver?: boolean;
  /** Called after each chunk and waited for, so that it can slow the repair down. */
  onProgress?: (progress: RepairProgress) => void | Promise<void>;
}

export interface RepairProgress {
  /** Links looked at, and counters that were not what the buckets say, since the repair began. */
  links: number;
  repaired: number;
  startedAt: number;
  finishedAt: number | null;
}

type RepairRow = { after_link: string; links: number; repaired: number; started_at: Date; finished_at: Date | null };

/**
 * Fills the slots of links whose counters are missing or wrong from `link_traffic` (which outlives the
 * ledger's months) and has their totals and folds made, while visits are being counted. Goes from link to link and keeps its position in the transaction of each
 * chunk: killed anywhere, it goes on from there. Doing a chunk twice adds nothing.
 */
export class CounterRepair {
  constructor(
    private readonly database: Database,
    private readonly settings: { hourThreshold?: number; dayThreshold?: number } = {},
  ) {}

  /** How far the current or the last repair came; null when there never was one. */
  async progress(): Promise<RepairProgress | null> {
    const [row] = await this.database.query<RepairRow>(READ_REPAIR, [NAME]);
    return row === undefined ? null : toProgress(row);
  }

  /** How many counters a repair would find wrong now: reads all buckets and slots, changes nothing. */
  async countWrong(): Promise<number> {
    const [row] = await this.database.query<{ counters: number }>(COUNT_WRONG_COUNTERS, [BOT_CLASSES]);
    return row?.counters ?? 0;
  }

  /** Goes on with the repair that was left, or begins one; until it is finished or `signal` aborts. */
  async run(options: CounterRepairOptions = {}): Promise<RepairProgress> {
    const chunkLinks = options.chunkLinks ?? 500;
    await this.database.query(OPEN_REPAIR, [NAME, options.startOver ?? false]);
    for (;;) {
      const linkIds = options.signal?.aborted === true ? [] : await this.#repairSome(chunkLinks);
      const progress = await this.progress();
      if (progress === null) throw new Error('the row of the repair was removed while it ran');
      await options.onProgress?.(progress);
      if (linkIds.length === 0) return progress;
    }
  }

  async #repairSome(chunkLinks: number): Promise<string[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction((tx) => this.#repairChunk(tx, chunkLinks));
      } catch (error) {
        if (attempt >= 5 || classifyPostgresError(error) !== 'conflict') throw error;
      }
    }
  }

  /** @returns the links of the chunk; none: all are done. */
  async #repairChunk(tx: Transaction, chunkLinks: number): Promise<string[]> {
    await tx.query(LOCK_REBUILD);
    const [position] = await tx.query<RepairRow>(READ_REPAIR, [NAME]);
    if (position === undefined || position.finished_at !== null) return [];
    const rows = await tx.query<{ link_id: string }>(NEXT_LINKS, [position.after_link, chunkLinks]);
    const linkIds = rows.map((row) => row.link_id);
    const last = linkIds.at(-1);
    if (last === undefined) {
      await tx.query(FINISH_REPAIR, [NAME]);
      return [];
    }
    const [added] = await tx.query<{ counters: number }>(ADD_MISSING_TO_SLOTS, [linkIds, BOT_CLASSES]);
    await tx.query(ASK_FOR_TOTALS, [linkIds]);
    const { hourThreshold = 500, dayThreshold = 50 } = this.settings;
    await tx.query(ASK_FOR_FOLDS, [linkIds, hourThreshold, dayThreshold]);
    await tx.query(ADVANCE_REPAIR, [NAME, last, linkIds.length, added?.counters ?? 0]);
    return linkIds;
  }
}

function toProgress(row: RepairRow): RepairProgress {
  return {
    links: row.links,
    repaired: row.repaired,
    startedAt: row.started_at.getTime(),
    finishedAt: row.finished_at?.getTime() ?? null,
  };
}
