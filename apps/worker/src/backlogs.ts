import { setTimeout as sleep } from 'node:timers/promises';

import type { Queryable } from '@hopcount/postgres';
import { Gauge, type Registry } from '@hopcount/runtime';

/** Tables whose rows are work that waits: a row is deleted once it is done. A new one only needs its name here. */
const BACKLOGS = ['link_changes', 'link_fold_deltas', 'link_outbox'] as const;
/** Bounds what a scrape may cost: about 20 ms for a full one. */
const COUNTED_AT_MOST = 100_000;
const FRESH_MS = 5_000;
/** A scrape must not wait for a PostgreSQL that hangs: it has other things to tell. */
const PATIENCE_MS = 500;

const COUNT_BACKLOGS = BACKLOGS.map(
  (table) =>
    `SELECT '${table}' AS backlog, count(*)::int AS rows FROM (SELECT FROM ${table} LIMIT ${COUNTED_AT_MOST}) AS waiting`,
).join(' UNION ALL ');

/** Measured when it is scraped, at most every 5 s; every worker tells the same. */
export function measureBacklogs(registry: Registry, database: Queryable): void {
  type Counts = { backlog: string; rows: number }[] | undefined;
  let latest: Promise<Counts> = Promise.resolve(undefined);
  let isAsking = false;
  let askedAtMs = -Infinity;
  const ask = () => {
    if (isAsking || Date.now() - askedAtMs < FRESH_MS) return;
    isAsking = true;
    askedAtMs = Date.now();
    latest = database
      .query<{ backlog: string; rows: number }>(COUNT_BACKLOGS)
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  };
  new Gauge({
    name: 'hopcount_backlog_rows',
    help: `Rows of work that waits in PostgreSQL, by table; ${COUNTED_AT_MOST} is that many or more. Absent while PostgreSQL does not answer.`,
    labelNames: ['backlog'],
    registers: [registry],
    async collect() {
      ask();
      const counts = await Promise.race([latest, sleep(PATIENCE_MS, undefined, { ref: false })]);
      this.reset();
      for (const { backlog, rows } of counts ?? []) this.set({ backlog }, rows);
    },
  });
}
