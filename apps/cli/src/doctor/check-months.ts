import type { Database } from '@hopcount/postgres';

import { openArchive } from '../archive/open-archive.js';
import type { CliConfig } from '../cli.config.js';
import { plural } from '../output/output.js';
import { type Check, ok, warn } from './check.js';

/** The worker looks every hour, and a month that has to be sealed first takes some of them. */
const PATIENCE_MS = 86_400_000;

/** Months the ledger could do without, and why it still has them. */
export async function checkMonths(database: Database, config: CliConfig): Promise<Check> {
  const { LedgerRetention } = await import('@hopcount/ledger');
  const retention = new LedgerRetention(database, { ledgerDays: config.ledgerDays });
  const months = await retention.overdueMonths(Date.now() - PATIENCE_MS);
  const [first] = months;
  if (first === undefined) return ok('ledger months', 'none is older than it has to be');
  const found = `${plural(months.length, 'month')} beyond LEDGER_DAYS, first ${first.name}`;
  if (config.archiveUrl === undefined) {
    return warn('ledger months', found, 'They stay: set ARCHIVE_URL, and they leave PostgreSQL once files hold them.');
  }
  const { manifest } = await openArchive(database, config);
  const due = await manifest.dueHours({ from: first.fromMs, to: first.toMs });
  return due.length > 0
    ? warn('ledger months', `${found}; files lack ${plural(due.length, 'hour')} of it`, 'See `hopcount archive seal`.')
    : warn('ledger months', found, 'Every hour is in files: the log of the worker says why it stays.');
}
