import { createReadStream, createWriteStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

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
Links from a file: CSV with a column longUrl (our own export has all columns; the exports of Dub, TinyURL, Rebrandly and
Short.io are read, too), our export as JSON Lines (hopcount), or what the APIs of Shlink, Kutt, YOURLS and Bitly answer, and
Shlink's and YOURLS' CSV; each may be compressed with gzip. CSV is UTF-8, UTF-16, or what --charset says; else it is read as Windows-1252, and told so. Or from the API itself: give its address and
the key in HOPCOUNT_IMPORT_KEY. A worker creates them; killed anywhere it goes on where it was, and importing again
creates only what is not there yet (--name tells two installations of one source apart). Each row is created, updated (with
--update), unchanged or refused; nothing is changed to fit. --report FILE writes each refused row as CSV: line, field, reason.
A record with a date and without a long URL is a visit of the link imported with its shortCode and domain under the same
--name: our export of visits (CSV, or JSON Lines as hopcount), Shlink's API, YOURLS' table yourls_log as CSV. Visits
count as others do, once however often they are imported, marked with the name. Sums of visits (Kutt, Bitly) are no visits.

Examples:
  $ hopcount import links.csv --from csv
  $ hopcount import short_urls.csv --from shlink --domain old.example --report refused.csv --execute
  $ HOPCOUNT_IMPORT_KEY=… hopcount import https://s.example --from shlink --execute`;

interface ImportOptions extends OutputOptions {
  from: ImportSource;
  name?: string;
  domain?: string;
  charset?: string;
  report?: string;
  update?: boolean;
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
    .option('--domain <authority>', 'domain of links and visits that name none (default: the default domain)')
    .option('--charset <name>', 'character set of the file, such as windows-1252 or shift_jis (default: detected)')
    .option('--update', 'existing links get the title, note and tags of their row')
    .option('--report <file>', 'write the refused rows and ignored fields to this file, as CSV')
    .option('--no-wait', 'do not wait for the worker')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((file: string, options: ImportOptions) => importLinks(context, file, options));
};

async function importLinks(context: CliContext, file: string, options: ImportOptions): Promise<void> {
  const { ImportStore } = await import('@hopcount/transfer');
  const { from, domain = null, name = from, execute, wait, output, report, update = false } = options;
  if (report !== undefined && !wait) throw wrongUsage('A report needs the end of the import: leave out --no-wait.');
  if (!execute) return plan(context, file, options);
  const { open, charset } = await sourceOf(context, file, options);
  await withDatabase(context.config(), async (database) => {
    const imports = new ImportStore(database);
    const given = { command: 'import', arguments: { file, from, name, domain, update }, output };
    await asAction({ context, database }, given, async () => {
      const wanted = { source: from, name, domain, charset, changesLinks: update };
      const { id } = await imports.upload(Reach.everything, wanted, open(), MAX_BYTES);
      context.terminal.message(`Import ${id}: the file is there.`);
      const ended = wait ? await follow(context, imports, id) : await imports.get(Reach.everything, id);
      if (wait) await tell(context, imports, id);
      if (report !== undefined) await writeReport(imports, id, report);
      if (ended.state === 'failed') throw new AppError('import-failed', `Import ${id} ended: ${ended.failure}`);
      return { outcome: 'done', counts: countsOf(ended) };
    });
  });
}

async function plan(context: CliContext, file: string, { from, output, ...options }: ImportOptions): Promise<void> {
  const { detectEncoding, plainBytes, planImport } = await import('@hopcount/transfer');
  const { open: openPacked, charset } = await sourceOf(context, file, { from, ...options });
  const open = () => plainBytes(openPacked(), MAX_BYTES);
  // An API answers UTF-8, and is asked once.
  const found = isApi(file) ? { charset: 'utf-8', isAssumed: false } : await detectEncoding(open(), charset);
  const planned = await planImport(open(), { source: from, charset: found.charset });
  reportCounts(context, output, { ...flat(planned) });
  if (found.isAssumed)
    context.terminal.message(`The file is not UTF-8 and was read as ${found.charset}. --charset names another one.`);
  context.terminal.message('Nothing was changed (no --execute). Codes and targets are judged when it is imported.');
}

async function writeReport(imports: ImportStore, id: string, path: string): Promise<void> {
  const { reportImport } = await import('@hopcount/transfer');
  await pipeline(reportImport(imports, id), createWriteStream(path));
}

async function follow(context: CliContext, imports: ImportStore, id: string): Promise<ImportRow> {
  const progress = context.terminal.startProgress('rows');
  for (;;) {
    const row = await imports.get(Reach.everything, id);
    if (row.state === 'done') progress.end(row.rowsDone);
    if (row.state === 'done' || row.state === 'failed') return row;
    const doing = `${row.state}: ${row.created} created, ${plural(row.visits, 'visit')}`;
    progress.at(row.rowsDone, { doing });
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function tell(context: CliContext, imports: ImportStore, id: string): Promise<void> {
  const remarks = await imports.remarksOf(id);
  for (const { row, line, reason, detail } of remarks.slice(0, TOLD))
    context.terminal.message(`${line === null ? `row ${row}` : `line ${line}`}: ${reason}: ${detail}`);
  if (remarks.length > TOLD) context.terminal.message(`and more: --report FILE, or GET /rest/v3/imports/${id}/report`);
}

function countsOf({ id, state, charset, rowsDone, reasons, ...row }: ImportRow) {
  const { created, updated, unchanged, refused, visits, existingVisits } = row;
  return {
    ...{ import: id, state, charset, rows: rowsDone },
    ...flat({ created, updated, unchanged, refused, visits, existingVisits, reasons }),
  };
}

function flat<Counts extends { reasons: Record<string, number> }>({ reasons, ...counts }: Counts) {
  const named = Object.entries(reasons).map(([reason, count]) => [`reason ${reason}`, count] as const);
  return { ...(counts as Omit<Counts, 'reasons'> & Record<string, number>), ...Object.fromEntries(named) };
}

interface Source {
  open: () => AsyncIterable<Buffer>;
  charset: string | null;
}

const isApi = (file: string) => /^https?:\/\//i.test(file);

async function sourceOf(
  context: CliContext,
  file: string,
  { from, charset: declared }: Pick<ImportOptions, 'from' | 'charset'>,
): Promise<Source> {
  const charset = declared ?? null;
  if (!isApi(file)) {
    await access(file).catch(() => {
      throw wrongUsage(`There is no file ${file} that can be read.`);
    });
    return { open: () => createReadStream(file), charset };
  }
  if (charset !== null) throw wrongUsage('--charset is for files: an API answers JSON, which is UTF-8.');
  const [{ fetchLinks }, { OutboundFetcher }] = await Promise.all([
    import('@hopcount/transfer'),
    import('@hopcount/outbound'),
  ]);
  const { hopcountImportKey: key, allowPrivateTargets: allowPrivate } = context.config();
  if (key === undefined)
    throw wrongUsage('Give the key of that API in HOPCOUNT_IMPORT_KEY (not on the command line, where others see it).');
  const fetcher = new OutboundFetcher({ userAgent: USER_AGENT, allowPrivate });
  const progress = context.terminal.startProgress('records read');
  const open = async function* () {
    yield* fetchLinks(from, { url: file, key, fetcher, onProgress: (records) => progress.at(records) });
    progress.end();
  };
  return { open, charset };
}
