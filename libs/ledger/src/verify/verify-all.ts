import type { Database } from '@hopcount/postgres';
import { inSteps, type ShowsProgress } from '@hopcount/runtime';

import { readDoubted, trustSums } from './doubted-sums.js';
import { StatisticsVerifier, type VerificationReport } from './statistics-verifier.js';

export interface VerifyAllRequest<Files> {
  database: Database;
  slots: 'on' | 'off';
  /** Left out: there is no archive. */
  verifyFiles?: (() => Promise<Files>) | undefined;
  /** Whether `verifyFiles` looks at all months. */
  isWhole?: boolean;
  shown: ShowsProgress;
}

/** Every number against the ledger and the files; sums that were in doubt are trusted again when all are equal. */
export async function verifyAll<Files extends { differences: readonly unknown[] }>({
  database,
  slots,
  verifyFiles,
  isWhole = true,
  shown,
}: VerifyAllRequest<Files>): Promise<{ ledger: VerificationReport; files: Files | undefined }> {
  const doubted = await readDoubted(database);
  const archived = verifyFiles !== undefined;
  const verifier = new StatisticsVerifier(database);
  const ledger = await inSteps(shown, 'checks', (onStep) => verifier.verify({ slots, archived, onStep }));
  const files = await verifyFiles?.();
  if (!ledger.isDoubted && isWhole && (files?.differences ?? []).length === 0)
    await trustSums(database, doubted, { archived });
  return { ledger, files };
}
