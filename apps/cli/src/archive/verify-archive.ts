import type { ArchiveVerification } from '@hopcount/archive';
import { type Database, loadSql } from '@hopcount/postgres';

import type { CliContext } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { plural } from '../output/output.js';
import { openArchive } from './open-archive.js';

const READ_UNFINISHED = loadSql(import.meta.url, 'sql/read-unfinished.sql');

interface VerifyRequest {
  closedBefore: number;
  resume: boolean;
}

/** Reads the archive, leaving word of each month in an audit row, where `resume` finds it. */
export async function verifyArchive(
  context: CliContext,
  database: Database,
  { closedBefore, resume }: VerifyRequest,
): Promise<ArchiveVerification> {
  const { terminal } = context;
  const archive = await openArchive(database, context.config());
  const [unfinished] = resume
    ? await database.query<{ verified_to: string | null; differences: number | null }>(READ_UNFINISHED)
    : [];
  const verifiedTo = unfinished?.verified_to ?? undefined;
  if (resume) terminal.message(verifiedTo === undefined ? NOTHING_LEFT : goesOn(verifiedTo, unfinished?.differences));
  let verification: ArchiveVerification | undefined;
  await asAction({ context, database }, { command: 'archive verify', arguments: { resume } }, async (action) => {
    const from = verifiedTo === undefined ? undefined : Date.parse(verifiedTo);
    const onMonth = (to: number, report: ArchiveVerification) =>
      action.noteProgress({ verifiedTo: new Date(to).toISOString(), ...countsOf(report) });
    verification = await terminal.inSteps('months of files', (onStep) =>
      archive.verify(closedBefore, { from, onMonth, onStep }),
    );
    return { outcome: verification.differences.length > 0 ? 'mismatch' : 'done', counts: countsOf(verification) };
  });
  if (verification === undefined) throw new Error('asAction runs what it is given');
  reportArchive(context, verification);
  const { adviceFor } = await import('@hopcount/archive');
  for (const file of await archive.manifest.damaged()) terminal.message(`DAMAGED: ${file.path}. ${adviceFor(file)}`);
  return verification;
}

const NOTHING_LEFT = 'No verification of the archive was left unfinished: it begins with the first month.';

function goesOn(verifiedTo: string, differences: number | null | undefined): string {
  return `Going on with the month from ${verifiedTo}; ${plural(differences ?? 0, 'difference')} were found before.`;
}

function countsOf({ files, visits, buckets, differences }: ArchiveVerification) {
  return { files, visits, buckets, differences: differences.length };
}

function reportArchive({ terminal }: CliContext, { files, visits, buckets, ...report }: ArchiveVerification): void {
  const checked = `${plural(files, 'file')} with ${plural(visits, 'visit')} against ${plural(buckets, 'bucket')}`;
  terminal.message(`Checked ${checked}.`);
  const { dueHours, purgedVisits } = report;
  if (dueHours.length > 0) terminal.message(`Due: ${plural(dueHours.length, 'hour')}, answered from the ledger.`);
  if (purgedVisits > 0) terminal.message(`Purged, but not out of the files yet: ${plural(purgedVisits, 'visit')}.`);
}
