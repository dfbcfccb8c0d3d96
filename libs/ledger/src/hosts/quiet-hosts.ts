import { type Database, loadSql } from '@hopcount/postgres';

import { LOCK_FOLD } from './host-fold.js';

const MOVE_QUIET_HOSTS = loadSql(import.meta.url, 'sql/move-quiet-hosts.sql');
/** Without visits. */
const QUIET_DAYS = 30;
/** Of one transaction, in which nobody folds. */
const LOOKED_AT_ONCE = 1_000;

interface Moved {
  /** null: there were none to look at. */
  last: number | null;
  hosts: number;
}

/**
 * Takes the quarters of an hour of hosts that had no visits for long out of the table that all else is in. Nothing has to bring them back:
 * whoever reads adds up both (the view `host_buckets`), and what is counted of such a host from now on is in `host_traffic` again.
 */
export class QuietHosts {
  constructor(
    private readonly database: Database,
    private readonly settings: { days?: number; lookedAtOnce?: number } = {},
  ) {}

  /** Looks at all hosts once. @returns of how many something was moved */
  async move(signal?: AbortSignal): Promise<number> {
    const { days = QUIET_DAYS, lookedAtOnce = LOOKED_AT_ONCE } = this.settings;
    let moved = 0;
    for (let after: number | null = 0; after !== null && signal?.aborted !== true;) {
      const values: unknown[] = [after, lookedAtOnce, days];
      const [row] = await this.database.transaction(async (tx) => {
        await tx.query(LOCK_FOLD);
        return tx.query<Moved>(MOVE_QUIET_HOSTS, values);
      });
      moved += row?.hosts ?? 0;
      after = row?.last ?? null;
    }
    return moved;
  }
}
