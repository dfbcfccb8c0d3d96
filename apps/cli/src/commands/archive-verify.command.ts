import type { ArchiveDifference } from '@hopcount/archive';

import { openArchive, readClosedBefore } from '../archive/open-archive.js';
import { type Services, withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Reads every file of the archive and holds it against its SHA-256, the manifest and the buckets of each link.
Nothing is changed: a damaged file is set aside by the worker's scrub and sealed again from the ledger. Hours
that changed since they were sealed are due; the ledger answers for them. Exit code 3 when something differs.

Examples:
  $ hopcount archive verify
  $ hopcount archive verify -o json`;

export const registerArchiveVerify: RegisterCommand = (parent, context) => {
  parent
    .command('verify')
    .description('read every file and print what differs')
    .addHelpText('after', HELP)
    .action((options: OutputOptions) => withServices(context, (services) => verify(services, options)));
};

async function verify(services: Services, { output }: OutputOptions): Promise<void> {
  const { context, config, terminal, database } = services;
  const archive = await openArchive(database, config);
  const closedBefore = await readClosedBefore(services);
  const report = await archive.verify(closedBefore, (step) => terminal.progress(`verifying ${step}`));
  const { differences, files, visits, buckets, dueHours, purgedVisits } = report;
  if (differences.length > 0 || output === 'json') terminal.rows(output, COLUMNS, differences, () => report);
  const checked = `${plural(files, 'file')} with ${plural(visits, 'visit')} against ${plural(buckets, 'bucket')}`;
  terminal.message(`Checked ${checked}.`);
  if (dueHours.length > 0) terminal.message(`Due: ${plural(dueHours.length, 'hour')}, answered from the ledger.`);
  if (purgedVisits > 0) terminal.message(`Purged, but not out of the files yet: ${plural(purgedVisits, 'visit')}.`);
  if (differences.length === 0) return terminal.message('Every file is what was sealed.');
  terminal.message(`${plural(differences.length, 'difference')}.`);
  context.exitWith(VERIFICATION_FAILED);
}

const COLUMNS: Column<ArchiveDifference>[] = [
  { name: 'check', heading: 'check', value: (row) => row.check },
  { name: 'where', heading: 'where', value: (row) => row.where },
  { name: 'expected', heading: 'expected', value: (row) => row.expected },
  { name: 'actual', heading: 'actual', value: (row) => row.actual },
];
