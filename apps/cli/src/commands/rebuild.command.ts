import type { Database } from '@hopcount/postgres';
import type { LedgerRebuild, RebuildCounts } from '@hopcount/ledger';
import type { OnStep } from '@hopcount/runtime';
import { InvalidArgumentError, Option } from 'commander';

import { openArchive } from '../archive/open-archive.js';
import { describeError } from '../cli.errors.js';
import { withDatabase, withKafka } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { createLinkProgress } from '../operator-actions/link-progress.js';
import { type ActionCounts, asAction, type RunningAction } from '../operator-actions/operator-action.js';
import { executeOption, parseSeconds, parseWhole, rateOption } from '../operator-actions/options.js';
import { createRateLimit } from '../operator-actions/rate-limit.js';
import { plural } from '../output/output.js';
import { DIFFERENCE_COLUMNS } from '../output/print-differences.js';
import { compareScope } from '../rebuild/compare-scope.js';
import { countFromTopic, type TopicCounts } from '../rebuild/count-from-topic.js';
import {
  checkSelection,
  chunksOf,
  lastLinkOfUnfinished,
  type RebuildScope,
  type RebuildSelection,
  scopeOf,
  selectionAsKept,
} from '../rebuild/rebuild-scope.js';

const HELP = `
Recomputes the statistics (buckets, slots, totals, folds; with --all scopes, hosts and gateways' minutes, too) from
the ledger beside what is kept and prints what differs. With --execute the differences are added to
what is kept, a chunk of links in one transaction, while visits go on being counted; then it is
compared again: exit code 3 when something still differs. Killed, --resume goes on where the last
rebuild of the same links was. --from topic first holds the topic against the ledger and, with
--execute, has what is missing counted (see replay --target live). With --all and ARCHIVE_URL, sums by group and host of months
that were dropped become what their files say.

Examples:
  $ hopcount rebuild --link aBcDeF1
  $ hopcount rebuild --link aBcDeF1 --execute
  $ hopcount rebuild --after 7300000000000000000 --up-to 7300000000000999999 --from topic --execute
  $ hopcount rebuild --all --rate 2000 --execute
  $ hopcount rebuild --all --rate 2000 --execute --resume`;

const NOTHING: RebuildCounts = {
  ...{ links: 0, buckets: 0, slots: 0, totals: 0, folds: 0 },
  ...{ scopes: 0, sourceMinutes: 0, hosts: 0, days: 0, tags: 0 },
};

interface RebuildOptions extends OutputOptions, RebuildSelection {
  from: 'ledger' | 'topic';
  chunk: number;
  rate?: number;
  waitSeconds: number;
  resume: boolean;
  execute: boolean;
}

interface Job {
  context: CliContext;
  database: Database;
  options: RebuildOptions;
  scope: RebuildScope;
}

export const registerRebuild: RegisterCommand = (parent, context) => {
  parent
    .command('rebuild')
    .description('recompute statistics from the ledger, print what differs and correct it')
    .option('--link <code>', 'of one link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .option('--after <id>', 'of the links after this id', parseId)
    .option('--up-to <id>', 'of the links up to this id', parseId)
    .option('--all', 'of all links', false)
    .addOption(
      new Option('--from <source>', 'also from what the topic still holds')
        .choices(['ledger', 'topic'])
        .default('ledger'),
    )
    .option('--chunk <n>', 'links of one transaction', (text) => parseWhole(text, 1, 10_000), 200)
    .addOption(rateOption('links'))
    .option('--wait-seconds <n>', 'longest wait of --from topic', parseSeconds, 120)
    .option('--resume', 'go on where the last rebuild of these links was killed', false)
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: RebuildOptions) => {
      checkSelection(options);
      return withDatabase(context.config(), async (database) => {
        const scope = await scopeOf(database, options);
        await (options.execute ? rebuild : plan)({ context, database, options, scope });
      });
    });
};

async function plan(job: Job): Promise<void> {
  const { context, database, options, scope } = job;
  if (options.from === 'topic') await fromTopic(job);
  const differences = await compareScope(context, database, scope);
  context.terminal.rows(options.output, DIFFERENCE_COLUMNS, differences);
  context.terminal.message(
    differences.length === 0
      ? 'Everything kept equals the ledger.'
      : `${plural(differences.length, 'difference')}. Nothing was changed (no --execute).`,
  );
}

async function rebuild(job: Job): Promise<void> {
  const { context, database, options } = job;
  const startAfter = options.resume ? await lastLinkOfUnfinished(database, options) : undefined;
  if (options.resume) {
    context.terminal.message(
      startAfter === undefined
        ? 'No rebuild of these links was left unfinished.'
        : `Going on after link ${startAfter}.`,
    );
  }
  const { chunk, from, rate, resume } = options;
  const given = { ...selectionAsKept(options), chunk, from, rate, resume };
  const description = { command: 'rebuild', arguments: given, output: options.output };
  await asAction(job, description, (action) => execute(job, action, startAfter));
}

async function execute(job: Job, action: RunningAction, startAfter: string | undefined) {
  const { context, database, options, scope } = job;
  const {
    addRebuildCounts,
    HostFold,
    LedgerRebuild: Rebuild,
    readDoubted,
    trustSums,
  } = await import('@hopcount/ledger');
  const { isListedSuffix } = await import('@hopcount/hosts');
  const hosts = new HostFold(database, { isSuffix: isListedSuffix });
  const lib = new Rebuild(database, context.config().slots === 'on' ? 'slots' : 'traffic', hosts);
  const doubted = scope.whole ? await readDoubted(database) : undefined;
  let isFiledRight = true;
  let counts = NOTHING;
  let lastLink = startAfter ?? scope.after;
  await action.noteProgress({ lastLink });
  // Whatever is noted, --resume has to find the link in it.
  const noteProgress = (noted: ActionCounts) => action.noteProgress({ ...noted, lastLink });
  const topic = options.from === 'topic' ? await fromTopic(job, { ...action, noteProgress }) : {};
  const progress = await createLinkProgress(database, context.terminal, { ...scope, what: 'links', after: lastLink });
  const rateLimit = createRateLimit(options.rate);
  const chunkLinks = Math.min(options.chunk, options.rate ?? options.chunk);
  for await (const links of chunksOf(lib, { ...scope, after: lastLink }, chunkLinks)) {
    await rateLimit(links.length);
    counts = addRebuildCounts(counts, await lib.rebuildLinks(links));
    lastLink = links.at(-1) ?? lastLink;
    await noteProgress({ ...topic, ...counts });
    progress.at(counts.links);
  }
  progress.end();
  if (scope.whole) {
    const { failed, ...more } = await rebuildSums(job, lib);
    isFiledRight = failed === 0;
    counts = addRebuildCounts(counts, more);
  }
  const left = await compareScope(context, database, scope);
  if (left.length > 0) {
    context.exitWith(VERIFICATION_FAILED);
    for (const one of left.slice(0, 20))
      context.terminal.message(`still differs: ${one.check} ${one.linkId ?? ''} ${one.unit}`);
  } else {
    if (isFiledRight) await trustSums(database, doubted, { archived: context.config().archiveUrl !== undefined });
    context.terminal.message('Compared again: everything kept equals the ledger.');
  }
  const asExpected = left.length === 0 && topic.expectedCountChange === topic.actualCountChange;
  return {
    outcome: asExpected ? ('done' as const) : ('mismatch' as const),
    counts: { ...topic, ...counts, lastLink, differencesLeft: left.length },
  };
}

/** Of all links together, after the links. */
async function rebuildSums(job: Job, lib: LedgerRebuild) {
  const { terminal } = job.context;
  const scopes = await terminal.inSteps('days of scopes', (onStep) => lib.rebuildScopes(onStep));
  const sourceMinutes = await terminal.inSteps('days of gateways', (onStep) => lib.rebuildSources(onStep));
  const hosts = await terminal.inSteps('days of hosts', (onStep) => lib.rebuildHosts(onStep));
  const filed = await terminal.inSteps('months of files', (onStep) => rebuildFiledSums(job, onStep));
  const tags = await lib.rebuildTags();
  const days = await lib.dropWrongDays();
  return { scopes, sourceMinutes, hosts: hosts + filed.corrected, tags, days, failed: filed.failed };
}

/** Of months that the ledger dropped files alone know groups and hosts. @returns how many sums were wrong, and months that could not be read */
async function rebuildFiledSums({ context, database }: Job, onStep: OnStep) {
  if (context.config().archiveUrl === undefined) return { corrected: 0, failed: 0 };
  const archive = await openArchive(database, context.config());
  const { corrected, failed } = await archive.rebuildSums(onStep);
  for (const { what, error } of failed) context.terminal.error(`${what}: ${describeError(error)}`);
  if (failed.length > 0) context.exitWith(VERIFICATION_FAILED);
  return { corrected, failed: failed.length };
}

async function fromTopic({ context, database, options, scope }: Job, action?: RunningAction): Promise<TopicCounts> {
  const waitMs = options.waitSeconds * 1_000;
  return withKafka(context, database, (services) =>
    countFromTopic(services, { scope, link: options.link, waitMs, action }),
  );
}

function parseId(text: string): string {
  if (/^[0-9]{1,18}$|^[0-8][0-9]{18}$/.test(text)) return text;
  throw new InvalidArgumentError('Give the id of a link.');
}
