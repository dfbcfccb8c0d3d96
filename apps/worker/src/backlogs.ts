import type { Queryable } from '@hopcount/postgres';
import { Gauge, type Logger, type Registry } from '@hopcount/runtime';

import { askedAtMost } from './asked-at-most.js';

/** Tables whose rows are work that waits: a row is deleted once it is done. A new one only needs its name here. */
const BACKLOGS = ['link_changes', 'link_fold_deltas', 'link_outbox'] as const;
/** Bounds what a scrape may cost: about 20 ms for a full one. */
const COUNTED_AT_MOST = 100_000;
const FRESH_MS = 5_000;

const COUNT_BACKLOGS = BACKLOGS.map(
  (table) =>
    `SELECT '${table}' AS backlog, count(*)::int AS rows FROM (SELECT FROM ${table} LIMIT ${COUNTED_AT_MOST}) AS waiting`,
).join(' UNION ALL ');

const OUTBOX_AGE = `SELECT coalesce(
  (SELECT extract(epoch FROM now() - changed_at) FROM link_outbox ORDER BY id LIMIT 1), 0)::float8 AS seconds`;

/** Measured when it is scraped, at most every 5 s; every worker tells the same. */
export function measureBacklogs(registry: Registry, database: Queryable, logger: Pick<Logger, 'warn'>): void {
  const counts = askedAtMost(logger, FRESH_MS, () => database.query<{ backlog: string; rows: number }>(COUNT_BACKLOGS));
  const age = askedAtMost(logger, FRESH_MS, () => database.query<{ seconds: number }>(OUTBOX_AGE));
  const registers = [registry];
  new Gauge({
    name: 'hopcount_backlog_rows',
    help: `Rows of work that waits in PostgreSQL, by table; ${COUNTED_AT_MOST} is that many or more. Absent while PostgreSQL does not answer.`,
    labelNames: ['backlog'],
    registers,
    async collect() {
      const known = await counts();
      this.reset();
      for (const { backlog, rows } of known ?? []) this.set({ backlog }, rows);
    },
  });
  new Gauge({
    name: 'hopcount_outbox_oldest_age_seconds',
    help: 'Since the oldest change of a link that gateways were not told of; 0 when there is none. NaN while PostgreSQL does not answer.',
    registers,
    async collect() {
      this.set((await age())?.[0]?.seconds ?? NaN);
    },
  });
}
