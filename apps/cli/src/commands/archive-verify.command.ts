import type { ArchiveDifference } from '@hopcount/archive';

import { readClosedBefore } from '../archive/open-archive.js';
import { verifyArchive } from '../archive/verify-archive.js';
import { type Services, withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Reads every file of the archive and holds it against its SHA-256, the manifest and the buckets of each link.
A damaged file is out of use at once, in every process; one that was brought back from a backup counts again.
Nothing else is changed. Hours that changed since they were sealed are due; the ledger answers for them. A month has a snapshot of its own, and\nhow far it came is in its audit row, where --resume finds it. Exit code 3 when something differs.

Examples:
  $ hopcount archive verify
  $ hopcount archive verify --resume -o json`;

interface VerifyOptions extends OutputOptions {
  resume: boolean;
}

export const registerArchiveVerify: RegisterCommand = (parent, context) => {
  parent
    .command('verify')
    .description('read every file and print what differs')
    .option('--resume', 'go on with the month where the last one was killed', false)
    .addHelpText('after', HELP)
    .action((options: VerifyOptions) => withServices(context, (services) => verify(services, options)));
};

async function verify(services: Services, { output, resume }: VerifyOptions): Promise<void> {
  const { context, terminal, database } = services;
  const report = await verifyArchive(context, database, { closedBefore: await readClosedBefore(services), resume });
  const { differences } = report;
  if (differences.length > 0 || output === 'json') terminal.rows(output, COLUMNS, differences, () => report);
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
