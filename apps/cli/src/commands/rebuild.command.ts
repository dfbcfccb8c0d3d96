import type { Database } from '@hopcount/postgres';
import type { RebuildScope } from '@hopcount/ledger';
import { InvalidArgumentError, Option } from 'commander';

import { openArchive } from '../archive/open-archive.js';
import { describeError } from '../cli.errors.js';
import { withDatabase, withKafka } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { type ActionCounts, asAction, type RunningAction } from '../operator-actions/operator-action.js';
import { executeOption, parseSeconds, parseWhole, rateOption } from '../operator-actions/options.js';
import { plural } from '../output/output.js';
import { DIFFERENCE_COLUMNS } from '../output/print-differences.js';
import { countFromTopic, type TopicCounts } from '../rebuild/count-from-topic.js';
import {
  checkSelection,
  lastLinkOfUnfinished,
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
  const { compareScope } = await import('@hopcount/ledger');
  const { slots } = context.config();
  const differences = await compareScope(database, scope, { slots, shown: context.terminal });
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
  const { runRebuild } = await import('@hopcount/ledger');
  const { slots, archiveUrl } = context.config();
  const lastLink = startAfter ?? scope.after;
  // Whatever is noted, --resume has to find the link in it.
  const noteProgress = (noted: ActionCounts) => action.noteProgress({ ...noted, lastLink });
  await noteProgress({});
  const topic = options.from === 'topic' ? await fromTopic(job, { ...action, noteProgress }) : {};
  const archive = scope.whole && archiveUrl !== undefined ? await openArchive(database, context.config()) : undefined;
  const { left, failed, counts, ...end } = await runRebuild({
    ...{ database, scope, slots, archive, chunkLinks: options.chunk, ratePerSecond: options.rate },
    shown: context.terminal,
    begin: { lastLink },
    keep: (at) => action.noteProgress({ ...topic, ...at.counts, lastLink: at.lastLink }),
    onFailedMonth: ({ what, error }) => context.terminal.error(`${what}: ${describeError(error)}`),
  });
  if (left.length + failed > 0) context.exitWith(VERIFICATION_FAILED);
  for (const one of left.slice(0, 20))
    context.terminal.message(`still differs: ${one.check} ${one.linkId ?? ''} ${one.unit}`);
  if (left.length === 0) context.terminal.message('Compared again: everything kept equals the ledger.');
  const asExpected = left.length === 0 && topic.expectedCountChange === topic.actualCountChange;
  return {
    outcome: asExpected ? ('done' as const) : ('mismatch' as const),
    counts: { ...topic, ...counts, lastLink: end.lastLink, differencesLeft: left.length },
  };
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
