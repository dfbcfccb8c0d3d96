import type { Database } from '@hopcount/postgres';
import { plural } from '@hopcount/runtime';

import type { InstantRange } from '../buckets.js';
import { LedgerRetention } from '../retention/ledger-retention.js';
import { type Check, ok, warn } from './check.js';

/** The worker looks every hour, and a month that has to be sealed first takes some of them. */
const PATIENCE_MS = 86_400_000;

export interface MonthsOptions {
  ledgerDays: number;
  /** Closed hours that files lack; left out: there is no archive. */
  dueHours?: ((range: InstantRange) => Promise<unknown[]>) | undefined;
}

/** Months the ledger could do without, and why it still has them. */
export async function checkMonths(database: Database, { ledgerDays, dueHours }: MonthsOptions): Promise<Check> {
  const retention = new LedgerRetention(database, { ledgerDays });
  const months = await retention.overdueMonths(Date.now() - PATIENCE_MS);
  const [first] = months;
  if (first === undefined) return ok('ledger months', 'none is older than it has to be', { found: 'no-old-months' });
  const found = `${plural(months.length, 'month')} beyond LEDGER_DAYS, first ${first.name}`;
  const said = { found: 'old-months', values: { count: months.length, first: first.name } } as const;
  if (dueHours === undefined) {
    return warn('ledger months', found, 'They stay: set ARCHIVE_URL, and they leave PostgreSQL once files hold them.', {
      ...{ ...said, advice: 'set-archive' },
    });
  }
  const due = await dueHours({ from: first.fromMs, to: first.toMs });
  return due.length > 0
    ? warn(
        'ledger months',
        `${found}; files lack ${plural(due.length, 'hour')} of it`,
        'See `hopcount archive seal`.',
        {
          ...{
            found: 'old-months-not-archived',
            advice: 'seal-archive',
            values: { ...said.values, hours: due.length },
          },
        },
      )
    : warn('ledger months', found, 'Every hour is in files: the log of the worker says why it stays.', {
        ...{ ...said, advice: 'see-worker-log-of-months' },
      });
}
