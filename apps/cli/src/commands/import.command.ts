import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';

import { AppError, Reach } from '@hopcount/runtime';
import { InvalidArgumentError, Option } from 'commander';
import type { ImportRow, ImportSource, ImportStore } from '@hopcount/transfer';

import { wrongUsage } from '../cli.errors.js';
import { withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

/** A list, so that --help needs no other library; a spec holds it against that of transfer. */
const SOURCES = ['csv', 'hopcount', 'shlink', 'kutt', 'yourls', 'bitly'];
const MAX_BYTES = 1_024 * 1_024 * 1_024;
const LOOK_EVERY_MS = 500;
const USER_AGENT = 'Mozilla/5.0 (compatible; Hopcount; import of links)';
const TOLD = 20;

const HELP = `
Links from a file: CSV with a column longUrl (our own export has all columns), our export as JSON Lines (hopcount), or what
the APIs of Shlink, Kutt, YOURLS and Bitly answer, and Shlink's and YOURLS' CSV. Or from the API itself: give its address and
the key in HOPCOUNT_IMPORT_KEY. A worker creates them; killed anywhere it goes on where it was, and importing again
creates only what is not there yet (--name tells two installations of one source apart). Codes stay as they are; a code
that another link has here, and whatever else is not taken, is told with its row.
A record with a date and without a long URL is a visit of the link imported with its shortCode and domain under the same
--name: our export of visits (CSV, or JSON Lines as hopcount), Shlink's API, YOURLS' table yourls_log as CSV. Visits
count as others do, once however often they are imported, marked with the name. Sums of visits (Kutt, Bitly) are no visits.

Examples:
  $ hopcount import links.csv --from csv
  $ hopcount import short_urls.csv --from shlink --domain old.example --execute
  $ HOPCOUNT_IMPORT_KEY=… hopcount import https://s.example --from shlink --execute`;

interface ImportOptions extends OutputOptions {
  from: ImportSource;
  name?: string;
  domain?: string;
  wait: boolean;
  execute: boolean;
}

export const registerImport: RegisterCommand = (parent, context) => {
  parent
    .command('import')
    .description('links and their visits from elsewhere')
    .argument('<file>', 'the file, or the address of the API', (text) => {
      if (text.trim() === '') throw new InvalidArgumentError('Name a file or an address.');
      return text;
    })
    .addOption(new Option('--from <source>', 'whose links they are').choices(SOURCES).makeOptionMandatory())
    .option('--name <name>', 'the installation, when there are several of one source')
    .option('--domain <authority>', 'where links go that name no domain (default: the default domain)')
    .option('--no-wait', 'do not wait for the worker')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((file: string, options: ImportOptions) => importLinks(context, file, options));
};

async function importLinks(context: CliContext, file: string, options: ImportOptions): Promise<void> {
  const { ImportStore, planImport } = await import('@hopcount/transfer');
  const { from, domain = null, name = from, execute, wait, output } = options;
  if (!execute) {
    reportCounts(context, output, { ...flat(await planImport(await open(context, file, from), from)) });
    return context.terminal.message(
      'Nothing was changed (no --execute). Codes and targets are judged when it is imported.',
    );
  }
  const bytes = await open(context, file, from);
  await withDatabase(context.config(), async (database) => {
    const imports = new ImportStore(database);
    const given = { command: 'import', arguments: { file, from, name, domain }, output };
    await asAction({ context, database }, given, async () => {
      const { id } = await imports.upload(Reach.everything, { source: from, name, domain }, bytes, MAX_BYTES);
      context.terminal.message(`Import ${id}: the file is there.`);
      const ended = wait ? await follow(context, imports, id) : await imports.get(Reach.everything, id);
      return { outcome: 'done', counts: countsOf(ended) };
    });
  });
}

async function follow(context: CliContext, imports: ImportStore, id: string): Promise<ImportRow> {
  for (;;) {
    const row = await imports.get(Reach.everything, id);
    if (row.state === 'failed') throw new AppError('import-failed', `Import ${id} ended: ${row.failure}`);
    if (row.state === 'done') {
      await tell(context, imports, row);
      return row;
    }
    context.terminal.progress(
      `${row.state}: ${plural(row.rowsDone, 'row')}, ${row.created} created, ${plural(row.visits, 'visit')}`,
    );
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function tell(context: CliContext, imports: ImportStore, { id }: ImportRow): Promise<void> {
  const skips = await imports.skipsOf(id);
  for (const { row, reason, detail } of skips.slice(0, TOLD))
    context.terminal.message(`row ${row}: ${reason}: ${detail}`);
  if (skips.length > TOLD) context.terminal.message(`and more: GET /rest/v3/imports/${id}`);
}

function countsOf({ id, state, rowsDone, created, existing, visits, existingVisits, skipped, reasons }: ImportRow) {
  return {
    import: id,
    state,
    rows: rowsDone,
    ...flat({ created, existing, visits, existingVisits, skipped, reasons }),
  };
}

function flat<Counts extends { reasons: Record<string, number> }>({ reasons, ...counts }: Counts) {
  const named = Object.entries(reasons).map(([reason, count]) => [`reason ${reason}`, count] as const);
  return { ...(counts as Omit<Counts, 'reasons'> & Record<string, number>), ...Object.fromEntries(named) };
}

async function open(context: CliContext, file: string, from: ImportSource): Promise<AsyncIterable<Buffer>> {
  if (!/^https?:\/\//i.test(file)) {
    await access(file).catch(() => {
      throw wrongUsage(`There is no file ${file} that can be read.`);
    });
    return createReadStream(file);
  }
  const [{ fetchLinks }, { OutboundFetcher }] = await Promise.all([
    import('@hopcount/transfer'),
    import('@hopcount/outbound'),
  ]);
  const { hopcountImportKey: key, allowPrivateTargets: allowPrivate } = context.config();
  if (key === undefined)
    throw wrongUsage('Give the key of that API in HOPCOUNT_IMPORT_KEY (not on the command line, where others see it).');
  const fetcher = new OutboundFetcher({ userAgent: USER_AGENT, allowPrivate });
  const onProgress = (records: number) => context.terminal.progress(`${plural(records, 'record')} read`);
  return fetchLinks(from, { url: file, key, fetcher, onProgress });
}
