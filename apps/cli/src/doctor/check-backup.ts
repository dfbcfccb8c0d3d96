import type { Check } from '@hopcount/ledger';

import { judgeLastBackup } from '../backup/judge-backups.js';
import { PgBackRest } from '../backup/pgbackrest.js';
import type { CliConfig } from '../cli.config.js';

/** Only where it is said how old it may be: pgBackRest is on PostgreSQL's machine, and doctor runs on others, too. */
export async function checkBackup({ backupMaxAgeHours, ...config }: CliConfig): Promise<Check[]> {
  if (backupMaxAgeHours === undefined) return [];
  const pgBackRest = new PgBackRest({ stanza: config.pgbackrestStanza, config: config.pgbackrestConfig ?? null });
  const backups = await pgBackRest.backups();
  return [await judgeLastBackup(backups, { maxAgeHours: backupMaxAgeHours, nowMs: Date.now() })];
}
