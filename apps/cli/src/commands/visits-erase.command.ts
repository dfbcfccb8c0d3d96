import type { Archive } from '@hopcount/archive';
import { readMoment } from '@hopcount/contracts';
import type { People } from '@hopcount/ledger';
import { type Database, hashKeyMismatch } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';
import { InvalidArgumentError } from 'commander';

import { openArchive } from '../archive/open-archive.js';
import { describeError } from '../cli.errors.js';
import { withDatabase } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { type Meant, whoIsMeant, type WhoOptions } from '../erase/who.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const ANY_FILE = `SELECT FROM archive_files WHERE state = 'active' LIMIT 1`;
const HELP = `
Deletes every visit of one person, as if it had never been: from PostgreSQL, from the archive's files, and from every
number that was made of them (so visits become fewer, too). A person is a cookie's value (hc_visitor), the number that
the ledger has of a visitor (of one period of HASH_KEY_ROTATIONS), or an address and a day (UTC: everybody behind it that day, orphan visits too).
What comes of them again (a replay, a dead letter, a copy in Kafka) stays out. Visits after the moment this
began are counted. Of what occurred it keeps the ids of visits, and of the person the hash, until nothing older is
taken any more. Killed anywhere, the same command goes on. Replaced files leave the disk after an hour; Kafka
keeps its copies until their time is over. Uses of links with maxVisits stay used.
Needs HOPCOUNT_SECRET (HOPCOUNT_HASH_SECRET) and HASH_KEY_ROTATIONS as the gateways have them, but for --visitor; the
secret of the local stack is read from its data folder. Refused where consumers have others.

Examples:
  $ hopcount visits erase --cookie v1.q3…
  $ hopcount visits erase --address 203.0.113.7 --day 2026-09-10 --execute`;

interface EraseOptions extends OutputOptions, WhoOptions {
  execute: boolean;
}

export const registerVisitsErase: RegisterCommand = (parent, context) => {
  parent
    .command('erase')
    .description('delete every visit of one person, everywhere')
    .option('--cookie <value>', "the cookie of the person's browser")
    .option('--visitor <number>', 'as the column visitor has it')
    .option('--address <ip>', 'the address of the person, with --day')
    .option('--day <day>', 'the day (UTC): 2026-09-10', parseDay)
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: EraseOptions) => withDatabase(context.config(), (database) => erase(context, database, options)));
};

async function erase(context: CliContext, database: Database, options: EraseOptions): Promise<void> {
  const { terminal } = context;
  const config = context.config();
  const meant = whoIsMeant(options, config);
  await expectHashKeys(database, meant);
  const { people } = meant;
  const { VisitEraser } = await import('@hopcount/ledger');
  const eraser = new VisitEraser(database, { hasSlots: config.slots === 'on' });
  const archive = (await database.query(ANY_FILE)).length > 0 ? await openArchive(database, config) : undefined;
  if (!options.execute) return plan(context, { eraser, archive, meant, options });
  const { person, fromMs } = people;
  const day = person === 'ip' ? { day: new Date(fromMs).toISOString().slice(0, 10) } : {};
  const given = { command: 'visits erase', arguments: { person, ...day }, output: options.output };
  await asAction({ context, database }, given, async (action) => {
    const erasure = await eraser.mark(people);
    const erasures = erasure.ids.join(',');
    await action.noteProgress({ erasures });
    const progress = terminal.startProgress('visits erased');
    const visits = await eraser.erase(erasure, (soFar) => progress.at(soFar));
    progress.end();
    const filed = await archive?.erasePeople(erasure, eraser.inFiles(erasure));
    const failed = filed?.failed ?? [];
    for (const { what, error } of failed) terminal.error(`${what}: ${describeError(error)}`);
    const orphanVisits = await eraser.eraseOrphans(erasure);
    if (failed.length === 0) await eraser.finish(erasure);
    else context.exitWith(VERIFICATION_FAILED);
    const counts = {
      erasures,
      visits: visits + (filed?.dropped ?? 0),
      orphanVisits,
      files: filed?.files ?? 0,
      failed: failed.length,
      ...reportPeriods(context, meant),
    };
    if (counts.visits + counts.orphanVisits === 0) reportNothing(context);
    return { outcome: failed.length === 0 ? 'done' : 'mismatch', counts };
  });
}

interface Plan {
  eraser: { count: (people: People) => Promise<{ visits: number; orphans: number }> };
  archive: Archive | undefined;
  meant: Meant;
  options: EraseOptions;
}

async function plan(context: CliContext, { eraser, archive, meant, options }: Plan): Promise<void> {
  const { people } = meant;
  const { visits, orphans } = await eraser.count(people);
  const filed = await archive?.findPeople(people);
  for (const { what, error } of filed?.failed ?? []) context.terminal.error(`${what}: ${describeError(error)}`);
  const counts = {
    visits: visits + (filed?.dropped ?? 0),
    orphanVisits: orphans,
    files: filed?.files ?? 0,
    ...reportPeriods(context, meant),
  };
  reportCounts(context, options.output, counts);
  if (counts.visits + counts.orphanVisits === 0) return reportNothing(context);
  const what = `${plural(counts.visits, 'visit')} and ${plural(orphans, 'orphan visit')}`;
  context.terminal.message(`Nothing was changed (no --execute). It would erase ${what}.`);
}

/** Consumers say with what hashes were made. @throws AppError `invalid-config` */
async function expectHashKeys(database: Database, { keys }: Meant): Promise<void> {
  const mismatch = keys && (await hashKeyMismatch(database, keys));
  if (mismatch !== undefined) throw new AppError('invalid-config', `Some visits would not be found. ${mismatch}`);
}

/** Whoever knows of a rotation sees whether this process did. */
function reportPeriods({ terminal }: CliContext, { keys, changes }: Meant): { keyPeriods?: number } {
  if (keys === undefined) return {};
  const [first, last] = [changes[0], changes.at(-1)].map((ms) => ms && new Date(ms).toISOString().slice(0, 10));
  const since =
    first === undefined ? 'HASH_KEY_ROTATIONS names none' : `keys changed first on ${first}, last on ${last}`;
  terminal.message(`Looked in ${plural(changes.length + 1, 'key period')}: ${since}.`);
  return { keyPeriods: changes.length + 1 };
}

function reportNothing({ terminal }: CliContext): void {
  terminal.message(
    'No visit of that person was found. A wrong HOPCOUNT_SECRET, HOPCOUNT_HASH_SECRET or HASH_KEY_ROTATIONS finds none either.',
  );
}

function parseDay(text: string): number {
  const moment = readMoment(text);
  if (moment?.kind !== 'date') throw new InvalidArgumentError('Give an existing day, as 2026-09-10.');
  return moment.atMs;
}
