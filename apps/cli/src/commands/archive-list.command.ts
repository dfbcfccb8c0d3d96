import type { ArchiveFile } from '@hopcount/archive';

import { openArchive } from '../archive/open-archive.js';
import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Files on disk, by time. Only active ones are read; replaced ones go after an hour, damaged ones after a week,
or stay where the ledger no longer has what they held.

Examples:
  $ hopcount archive
  $ hopcount archive list -o json`;

export const registerArchiveList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description('the files of the archive and what is in them')
    .addHelpText('after', HELP)
    .action((options: OutputOptions) =>
      withDatabase(context.config(), async (database) => {
        const { manifest } = await openArchive(database, context.config());
        context.terminal.rows(options.output, COLUMNS, await manifest.allFiles());
        const { adviceFor } = await import('@hopcount/archive');
        const { active } = await manifest.summary();
        const files = plural(active.files, 'active file');
        context.terminal.message(`${plural(active.visits, 'visit')} in ${files}, ${active.bytes} bytes.`);
        for (const file of await manifest.damaged()) {
          context.terminal.message(`DAMAGED: ${file.path}. ${adviceFor(file)}`);
        }
      }),
    );
};

const iso = (instant: number) => new Date(instant).toISOString();

const COLUMNS: Column<ArchiveFile>[] = [
  { name: 'level', heading: 'level', value: (file) => file.level },
  { name: 'from', heading: 'from', value: (file) => iso(file.period.from) },
  { name: 'to', heading: 'to', value: (file) => iso(file.period.to) },
  { name: 'visits', heading: 'visits', value: (file) => file.visits, align: 'right' },
  { name: 'bytes', heading: 'bytes', value: (file) => file.bytes, align: 'right' },
  { name: 'state', heading: 'state', value: (file) => file.state },
  { name: 'sealedAt', heading: 'sealed', value: (file) => iso(file.sealedAt) },
  { name: 'path', heading: 'path', value: (file) => file.path },
];
