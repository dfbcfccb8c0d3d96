import { visitClassNumber } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

import { SNOWFLAKE_EPOCH_MS } from '../ids/snowflake.js';

const SEARCHED_UNTIL = 'SELECT until FROM anomaly_search';
const LOCK_SEARCH = `${SEARCHED_UNTIL} FOR UPDATE`;
const MOVE_ON = 'UPDATE anomaly_search SET until = $1';
const COOL_DOWN = 'DELETE FROM link_anomalies WHERE window_start <= $1';
const QUEUE_ANOMALIES = loadSql(import.meta.url, 'sql/queue-anomalies.sql');

const HOUR_MS = 3_600_000;
/** The quarters of an hour that visits are counted by. */
const WINDOW_MS = HOUR_MS / 4;
/** Of windows that closed while no worker ran, those of a day: what is older is no news. */
const MOST_BEHIND_MS = 24 * HOUR_MS;
const COOL_DOWN_MS = 24 * HOUR_MS;
/** People: machines come in surges, and opted out is not bot. */
const CLASSES = [visitClassNumber('human'), visitClassNumber('opted-out')];
const RULE = { fewestVisits: 50, timesMean: 4, timesBusiest: 2, days: 7, links: 2_000 };

/**
 * Finds links that have far more visits in a window than they usually have, and tells webhooks. The windows are gone through one
 * after the other, each in a transaction with the events it makes, so each is searched once whoever dies.
 */
export class LinkAnomalies {
  constructor(private readonly database: Database) {}

  /** When the next window to be searched ends. */
  async nextEnd(nowMs: number): Promise<number> {
    return startOfNext(await this.database.query<Search>(SEARCHED_UNTIL), nowMs) + WINDOW_MS;
  }

  /** Searches the next window, if it ended by `closedUntil`. @returns links told; undefined: it is not */
  searchNext(closedUntil: number, nowMs: number): Promise<number | undefined> {
    return this.database.transaction(async (tx) => {
      const start = startOfNext(await tx.query<Search>(LOCK_SEARCH), nowMs);
      if (start + WINDOW_MS > closedUntil) return undefined;
      await tx.query(MOVE_ON, [new Date(start + WINDOW_MS)]);
      await tx.query(COOL_DOWN, [new Date(start - COOL_DOWN_MS)]);
      const { fewestVisits, timesMean, timesBusiest, days, links } = RULE;
      const [found] = await tx.query<{ told: number }>(QUEUE_ANOMALIES, [
        ...[new Date(start), WINDOW_MS / 1_000, CLASSES, fewestVisits, timesMean, timesBusiest, days, links],
        SNOWFLAKE_EPOCH_MS,
      ]);
      return found?.told ?? 0;
    });
  }
}

interface Search {
  until: Date;
}

function startOfNext([search]: Search[], nowMs: number): number {
  return Math.max(search?.until.getTime() ?? 0, floorToWindow(nowMs - MOST_BEHIND_MS));
}

function floorToWindow(instant: number): number {
  return Math.floor(instant / WINDOW_MS) * WINDOW_MS;
}
