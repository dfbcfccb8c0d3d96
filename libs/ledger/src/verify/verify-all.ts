import type { Database } from '@hopcount/postgres';
import { failpoint, inSteps, type ShowsProgress } from '@hopcount/runtime';

import { type DoubtedSums, readDoubted, trustSums } from './doubted-sums.js';
import { type LedgerSoFar, StatisticsVerifier, type VerificationReport } from './statistics-verifier.js';

/** What is found in files, by `verifyFiles`. */
interface FilesReport {
  differences: readonly unknown[];
}

/** Where files are begun with, and what is called after each month of them. */
export interface VerifyFilesOptions {
  from: number | undefined;
  onMonth: (verifiedTo: number, report: FilesReport) => Promise<void>;
}

/** Where another process continues. */
export interface VerifyCheckpoint {
  /** As it was before anything was compared. */
  doubted: Pick<DoubtedSums, 'notedAt'> | null;
  ledger?: LedgerSoFar | undefined;
  files?: { verifiedTo: number; differences: number } | undefined;
}

export interface VerifyAllRequest<Files> {
  database: Database;
  slots: 'on' | 'off';
  /** Left out: there is no archive. */
  verifyFiles?: ((options: VerifyFilesOptions) => Promise<Files>) | undefined;
  /** Whether `verifyFiles` looks at all months. */
  isWhole?: boolean;
  shown: ShowsProgress;
  /** Left out: from the beginning. */
  begin?: VerifyCheckpoint | undefined;
  keep?: ((checkpoint: VerifyCheckpoint, found: VerifiedCounts) => Promise<void>) | undefined;
}

interface Verified<Files> {
  ledger: VerificationReport;
  files: Files | undefined;
  /** Of runs before as well. */
  counts: VerifiedCounts;
}

type VerifiedCounts = { visits: number; differences: number };

/** Every number against the ledger and the files; sums that were in doubt are trusted again when all are equal. */
export async function verifyAll<Files extends FilesReport>(request: VerifyAllRequest<Files>): Promise<Verified<Files>> {
  const { database, slots, verifyFiles, isWhole = true, shown, keep = () => Promise.resolve() } = request;
  const archived = verifyFiles !== undefined;
  const at: VerifyCheckpoint = { doubted: (await readDoubted(database)) ?? null, ...request.begin };
  const countsOf = ({ checked, differences }: VerificationReport, inFiles: number): VerifiedCounts => ({
    visits: checked.visits,
    differences: differences.length + inFiles,
  });
  const keepPart = async (ledger: LedgerSoFar, files: VerifyCheckpoint['files']) => {
    await keep({ ...at, ledger, files }, countsOf(ledger.report, files?.differences ?? 0));
    failpoint('verify-part-kept');
  };
  const verifier = new StatisticsVerifier(database);
  const options = { slots, archived, begin: at.ledger, onPart: (soFar: LedgerSoFar) => keepPart(soFar, at.files) };
  const ledger = await inSteps(shown, 'checks', (onStep) => verifier.verify({ ...options, onStep }));
  const found = at.files?.differences ?? 0;
  const files = await verifyFiles?.({
    from: at.files?.verifiedTo,
    onMonth: (verifiedTo, { differences }) =>
      keepPart({ report: ledger, months: [] }, { verifiedTo, differences: found + differences.length }),
  });
  const inFiles = found + (files?.differences.length ?? 0);
  if (!ledger.isDoubted && isWhole && inFiles === 0) await trustSums(database, at.doubted ?? undefined, { archived });
  return { ledger, files, counts: countsOf(ledger, inFiles) };
}
