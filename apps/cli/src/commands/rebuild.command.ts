import type { Database } from '@hopcount/postgres';
import type { Difference, LedgerRebuild, RebuildCounts } from '@hopcount/statistics';
import { InvalidArgumentError, Option } from 'commander';

import { withDatabase, withKafkaAdmin } from '../connections.js';
import {
  type CliContext,
  type OutputOptions,
  outputOption,
  type RegisterCommand,
  VERIFICATION_FAILED,
} from '../context.js';
import { findLinkId } from '../find-link.js';
import { badRange } from '../operate/offset-ranges.js';
import { asAction, type RunningAction } from '../operate/operator-action.js';
import { executeOption, parseWhole, rateOption } from '../operate/options.js';
import { createRateLimit } from '../operate/rate-limit.js';
import { reportCounts } from '../operate/report-counts.js';
import { plural } from '../output.js';
import { DIFFERENCE_COLUMNS } from '../print-differences.js';
import { resolveRange } from '../replay/replay-range.js';
import { runReplay } from '../replay/run-replay.js';

const HELP = `
Recomputes the statistics (buckets, slots, totals, folds; with --all the gateways' minutes, too) from
the ledger beside what is kept and prints what differs. With --execute the differences are added to
what is kept, a chunk of links in one transaction, while visits go on being counted; then it is
compared again: exit code 3 when something still differs. Killed, it can be run again, from where it
was with --after. --from topic first holds the topic against the ledger: what is missing there no
rebuild can count (see replay).

Examples:
  $ hopcount rebuild --link aBcDeF1
  $ hopcount rebuild --link aBcDeF1 --execute
  $ hopcount rebuild --after 7300000000000000000 --up-to 7300000000000999999 --execute
  $ hopcount rebuild --all --rate 2000 --execute`;

const FIRST_ID = '0';
/** A compared link costs a few statements; more than this is compared by \`verify\`'s whole pass. */
const MAX_COMPARED_LINKS = 1_000;

interface RebuildOptions extends OutputOptions {
  link?: string;
  domain?: string;
  after?: string;
  upTo?: string;
  all: boolean;
  from: 'ledger' | 'topic';
  chunk: number;
  rate?: number;
  execute: boolean;
}

/** One link, or those after one id and up to another; `whole`: everything. */
interface Scope {
  linkId?: string | undefined;
  after: string;
  upTo: string | null;
  whole: boolean;
}

interface Job {
  context: CliContext;
  database: Database;
  options: RebuildOptions;
  scope: Scope;
}

export const registerRebuild: RegisterCommand = (parent, context) => {
  parent
    .command('rebuild')
    .description('recompute statistics from the ledger, print what differs and repair it')
    .option('--link <code>', 'of one link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .option('--after <id>', 'of the links after this id', parseId)
    .option('--up-to <id>', 'of the links up to this id', parseId)
    .option('--all', 'of all links', false)
    .addOption(
      new Option('--from <source>', 'also hold the topic against the ledger')
        .choices(['ledger', 'topic'])
        .default('ledger'),
    )
    .option('--chunk <n>', 'links of one transaction', (text) => parseWhole(text, 1, 10_000), 200)
    .addOption(rateOption('links'))
    .addOption(executeOption())
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action((options: RebuildOptions) =>
      withDatabase(context.config(), async (database) => {
        const scope = await scopeOf(database, options);
        await rebuild({ context, database, options, scope });
      }),
    );
};

async function rebuild(job: Job): Promise<void> {
  const { context, options } = job;
  const { terminal } = context;
  if (options.from === 'topic') await compareWithTopic(job);
  if (!options.execute) {
    const differences = await compare(job);
    terminal.rows(options.output, DIFFERENCE_COLUMNS, differences);
    return terminal.message(
      differences.length === 0
        ? 'Everything kept equals the ledger.'
        : `${plural(differences.length, 'difference')}. Nothing was changed (no --execute).`,
    );
  }
  const { link, domain, after, upTo, all, chunk } = options;
  const given = { link, domain, after, upTo, all, chunk };
  const { operator } = context.config();
  const description = { command: 'rebuild', arguments: given, operator, clusterId: null };
  const { counts } = await asAction(job.database, description, (action) => execute(job, action));
  reportCounts(context, options.output, counts);
}

async function execute(job: Job, action: RunningAction) {
  const { context, database, scope } = job;
  const { addRebuildCounts, LedgerRebuild } = await import('@hopcount/statistics');
  const lib = new LedgerRebuild(database, context.config().slots === 'on' ? 'slots' : 'traffic');
  let counts: RebuildCounts = { links: 0, buckets: 0, slots: 0, totals: 0, folds: 0, sourceMinutes: 0 };
  let lastLink = scope.after;
  const rateLimit = createRateLimit(job.options.rate);
  for await (const links of chunks(lib, job)) {
    await rateLimit(links.length);
    counts = addRebuildCounts(counts, await lib.rebuildLinks(links));
    lastLink = links.at(-1) ?? lastLink;
    await action.noteProgress({ ...counts, lastLink });
    context.terminal.progress(`rebuilt ${plural(counts.links, 'link')}, up to ${lastLink}`);
  }
  if (scope.whole) {
    const onProgress = (day: Date) =>
      context.terminal.progress(`rebuilding sources of ${day.toISOString().slice(0, 10)}`);
    counts = addRebuildCounts(counts, { sourceMinutes: await lib.rebuildSources(onProgress) });
  }
  const left = await compare(job);
  if (left.length > 0) {
    context.exitWith(VERIFICATION_FAILED);
    for (const one of left.slice(0, 20))
      context.terminal.message(`still differs: ${one.check} ${one.linkId ?? ''} ${one.unit}`);
  } else context.terminal.message('Compared again: everything kept equals the ledger.');
  return {
    outcome: left.length > 0 ? ('mismatch' as const) : ('done' as const),
    counts: { ...counts, lastLink, differencesLeft: left.length },
  };
}

async function* chunks(lib: LedgerRebuild, { options, scope }: Job): AsyncGenerator<string[]> {
  if (scope.linkId !== undefined) {
    yield [scope.linkId];
    return;
  }
  for (let after = scope.after; ;) {
    const links = await lib.nextLinks(after, scope.upTo, options.chunk);
    const last = links.at(-1);
    if (last === undefined) return;
    yield links;
    after = last;
  }
}

/** Computed from the ledger in a snapshot of its own, and held against what is kept. */
async function compare(job: Job): Promise<Difference[]> {
  const { context, database, scope } = job;
  const { LedgerRebuild, StatisticsVerifier } = await import('@hopcount/statistics');
  const verifier = new StatisticsVerifier(database);
  const { slots } = context.config();
  const onProgress = (step: string) => context.terminal.progress(`comparing ${step}`);
  if (scope.whole) return (await verifier.verify({ slots, onProgress })).differences;
  const differences: Difference[] = [];
  let compared = 0;
  for await (const links of chunks(new LedgerRebuild(database), job)) {
    for (const linkId of links) {
      if (++compared > MAX_COMPARED_LINKS)
        throw badRange(`More than ${MAX_COMPARED_LINKS} links: narrow the range, or use --all.`);
      differences.push(...(await verifier.verify({ linkId, slots })).differences);
      context.terminal.progress(`compared ${plural(compared, 'link')}`);
    }
  }
  return differences;
}

async function compareWithTopic({ context, database, options, scope }: Job): Promise<void> {
  await withKafkaAdmin(context.config(), async (admin) => {
    const topic = context.config().visitsTopic;
    const ranges = await resolveRange(admin, topic, { wholeLog: true });
    const run = await runReplay(
      { context, database, admin },
      { topic, ranges, linkId: scope.linkId, limit: 50_000_000 },
    );
    const { missing, counted } = run.tally;
    context.terminal.message(`The topic holds ${plural(counted, 'visit')} the ledger has, and ${missing} it lacks.`);
    if (missing === 0) return;
    context.exitWith(VERIFICATION_FAILED);
    const link = options.link === undefined ? '' : ` --link ${options.link}`;
    context.terminal.message(`Count them with: hopcount replay --whole-log${link} --target live`);
  });
}

/** @throws AppError `bad-range`, `no-such-link`, `ambiguous-code` */
async function scopeOf(database: Database, options: RebuildOptions): Promise<Scope> {
  const { link, domain, after, upTo, all } = options;
  const ways = [link !== undefined, after !== undefined || upTo !== undefined, all].filter(Boolean).length;
  if (ways !== 1) throw badRange('Name one of --link, --after and --up-to, or --all.');
  const linkId = link === undefined ? undefined : await findLinkId(database, link, domain);
  return { linkId, after: after ?? FIRST_ID, upTo: upTo ?? null, whole: all };
}

function parseId(text: string): string {
  if (/^[0-9]{1,18}$|^[0-8][0-9]{18}$/.test(text)) return text;
  throw new InvalidArgumentError('Give the id of a link.');
}
