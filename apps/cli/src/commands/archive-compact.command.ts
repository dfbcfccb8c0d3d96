import { openArchive, readClosedBefore } from '../archive/open-archive.js';
import { describeError } from '../cli.errors.js';
import { type Services, withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const HELP = `
Makes one file of the hours of each closed day, then of the days of each closed month, up to 256 MB a file. The
worker does so by itself, but waits for late visits: two days for a month, a day before it writes one again.
Replaced files go an hour later. Workers may go on meanwhile. Exit code 3 when a merge failed.

Examples:
  $ hopcount archive compact
  $ hopcount archive compact --execute`;

interface CompactOptions extends OutputOptions {
  execute: boolean;
}

export const registerArchiveCompact: RegisterCommand = (parent, context) => {
  parent
    .command('compact')
    .description('merge files into days and months now, whatever their age')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: CompactOptions) => withServices(context, (services) => compact(services, options)));
};

async function compact(services: Services, { execute, output }: CompactOptions): Promise<void> {
  const { context, config, terminal, database } = services;
  const archive = await openArchive(database, config);
  const closedBefore = await readClosedBefore(services);
  const before = (await archive.manifest.summary()).active;
  if (!execute) {
    const { files, into } = await archive.planCompaction(closedBefore);
    reportCounts(context, output, { files: before.files, bytes: before.bytes, toMerge: files, into });
    const plan = `It would first merge ${plural(files, 'file')} of ${before.files} into ${into}`;
    terminal.message(`Nothing was changed (no --execute). ${plan}, then days into months.`);
    return;
  }
  await asAction(services, { command: 'archive compact', arguments: {}, output }, async () => {
    const progress = terminal.startProgress('files merged');
    const { files, into, failed } = await archive.compact(closedBefore, {
      onProgress: (merged) => progress.at(merged.files, { doing: `into ${merged.into}` }),
    });
    progress.end();
    for (const { what, error } of failed) terminal.error(`${what}: ${describeError(error)}`);
    if (failed.length > 0) context.exitWith(VERIFICATION_FAILED);
    const after = (await archive.manifest.summary()).active;
    const counts = {
      merged: files,
      into,
      failed: failed.length,
      filesBefore: before.files,
      filesAfter: after.files,
      bytesBefore: before.bytes,
      bytesAfter: after.bytes,
    };
    return { outcome: failed.length > 0 ? 'mismatch' : 'done', counts };
  });
}
