import { isEventId } from '@hopcount/contracts';
import { Reach } from '@hopcount/runtime';
import { InvalidArgumentError } from 'commander';

import { withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { findLinkId } from '../links/find-link.js';
import { NO_BOM } from '../output/output.js';
import { addTimeRange, boundsOf, type TimeRange } from '../replay/time-range.js';

const HELP = `
Every visit, oldest first, each once, also of months that only the archive has (ARCHIVE_URL): CSV, or with -o json JSON
Lines. No address and no visitor, as in lists of visits. \`hopcount import\` reads both. Up to the moment it starts, unless
--to says less. Memory stays the same however many there are; broken off, it goes on behind the last line with --after.

Examples:
  $ hopcount export visits > visits.csv
  $ hopcount export visits --link aBcDeF1 --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z
  $ hopcount export visits --range lastMonth --time-zone Europe/Berlin
  $ hopcount export visits -o json --after 01977a3e-5c1f-7000-8a5b-3f0e1d2c4b5a >> visits.jsonl`;

interface ExportOptions extends OutputOptions, TimeRange {
  bom: boolean;
  link?: string;
  domain?: string;
  after?: string;
}

export const registerExportVisits: RegisterCommand = (parent, context) => {
  addTimeRange(parent.command('visits'))
    .description('visits as CSV or JSON Lines, of one link or of all')
    .option('--link <code>', 'only visits of this link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .option('--after <eventId>', 'goes on behind this visit, the last one that came', parseEventId)
    .option(...NO_BOM)
    .addHelpText('after', HELP)
    .action((options: ExportOptions) => exportAll(context, options));
};

async function exportAll(context: CliContext, options: ExportOptions): Promise<void> {
  const { from, to = Infinity } = await boundsOf(options);
  const [{ exportVisits }, { VisitSequence }, { ArchiveReader, archiveRoot }] = await Promise.all([
    import('@hopcount/transfer'),
    import('@hopcount/statistics'),
    import('@hopcount/archive'),
  ]);
  const config = context.config();
  const { link, domain, after, output, bom } = options;
  await withDatabase(config, async (database) => {
    const linkId = link === undefined ? undefined : await findLinkId(database, link, domain);
    const archive = new ArchiveReader(database, { root: archiveRoot(config), memoryMb: config.archiveMemory });
    try {
      const range = { from, to: Math.min(to, Date.now()) };
      const visits = new VisitSequence(database, archive).read({
        reach: Reach.everything,
        ...range,
        linkId,
        after,
        excludeBots: false,
      });
      const format = output === 'json' ? 'jsonl' : 'csv';
      const { publicScheme } = config;
      await context.terminal.pour(exportVisits(database, visits, { format, bom, publicScheme, deadlineMs: Infinity }));
    } finally {
      await archive.close();
    }
  });
}

function parseEventId(text: string): string {
  if (isEventId(text)) return text;
  throw new InvalidArgumentError('Give the eventId of a visit.');
}
