import { openArchive, readClosedBefore } from '../archive/open-archive.js';
import { describeError } from '../cli.errors.js';
import { type Services, withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const HELP = `
Seals what files lack of closed hours and takes out what was purged, as the worker does by itself. An hour is
closed when all that was published before its end is counted, at the latest SEAL_AFTER after it. Workers may
go on meanwhile. Exit code 3 when an hour could not be sealed.

Examples:
  $ hopcount archive seal
  $ hopcount archive seal --execute`;

interface SealOptions extends OutputOptions {
  execute: boolean;
}

export const registerArchiveSeal: RegisterCommand = (parent, context) => {
  parent
    .command('seal')
    .description('seal closed hours that files do not hold as the buckets say')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: SealOptions) => withServices(context, (services) => seal(services, options)));
};

async function seal(services: Services, { execute, output }: SealOptions): Promise<void> {
  const { context, config, terminal, database } = services;
  const archive = await openArchive(database, config);
  terminal.progress('comparing files with buckets');
  const hours = await archive.dueHours(await readClosedBefore(services), 'all');
  if (!execute) {
    reportCounts(context, output, { dueHours: hours.length });
    terminal.message(`Nothing was changed (no --execute). It would look at ${plural(hours.length, 'hour')}.`);
    return;
  }
  await asAction(services, { command: 'archive seal', arguments: {}, output }, async () => {
    const progress = terminal.startProgress('hours', hours.length);
    let looked = 0;
    const { failed, ...sealed } = await archive.seal(hours, { onHours: (count) => progress.at((looked += count)) });
    progress.end(hours.length);
    for (const { what, error } of failed) terminal.error(`${what}: ${describeError(error)}`);
    if (failed.length > 0) context.exitWith(VERIFICATION_FAILED);
    return { outcome: failed.length > 0 ? 'mismatch' : 'done', counts: { ...sealed, failed: failed.length } };
  });
}
