import type { OffsetRange } from '@hopcount/kafka';
import { Option } from 'commander';

import { wrongUsage } from '../cli.errors.js';
import { type Services, withServices } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { findLinkId } from '../links/find-link.js';
import { asAction } from '../operator-actions/operator-action.js';
import {
  addWaitOptions,
  executeOption,
  limitOption,
  rateOption,
  type WaitOptions,
  waitMsOf,
} from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';
import { addRangeOptions, checkRange, type ReplayRange, resolveRange } from '../replay/replay-range.js';
import { readRange, sendRange } from '../replay/send-missing.js';

const HELP = `
Reads a range of a topic again and holds it against the ledger. --target shadow (the default) only
looks: exit code 3 when a visit is missing that the consumer has passed. --target live also sends
what is missing to the visits topic, with its own key and bytes, so that the consumers count it;
then it waits and holds the count against the expected one. Killed, it can be run again: it goes on
with what is still missing. Records a consumer has not read yet are left to it.

Examples:
  $ hopcount replay --last 2h
  $ hopcount replay --range yesterday --time-zone Europe/Berlin
  $ hopcount replay --from 2026-11-21T10:00:00Z --to 2026-11-21T11:00:00Z --target live
  $ hopcount replay --partition 3 --from-offset 100 --to-offset 900 --target live --rate 500 --execute
  $ hopcount replay --whole-log --link aBcDeF1 -o json`;

interface ReplayOptions extends OutputOptions, ReplayRange, WaitOptions {
  topic?: string;
  link?: string;
  domain?: string;
  target: 'shadow' | 'live';
  resendCounted: boolean;
  limit: number;
  rate?: number;
  execute: boolean;
}

interface ReplayJob extends Services {
  options: ReplayOptions;
  topic: string;
  ranges: OffsetRange[];
  ofLink: ((linkId: string) => boolean) | undefined;
}

export const registerReplay: RegisterCommand = (parent, context) => {
  const command = addRangeOptions(parent.command('replay'))
    .description('read a range of a topic again: what of it is counted, and count what is missing')
    .option('--topic <name>', 'the topic to read (default: the visits topic)')
    .option('--link <code>', 'only visits of this link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .addOption(new Option('--target <target>', 'only look, or count').choices(['shadow', 'live']).default('shadow'))
    .option('--resend-counted', 'send also what is counted already, to prove that it changes nothing', false)
    .addOption(limitOption('records', 1_000_000, 50_000_000))
    .addOption(rateOption())
    .addOption(executeOption());
  addWaitOptions(command)
    .addHelpText('after', HELP)
    .action((options: ReplayOptions) => {
      const topic = options.topic ?? context.config().visitsTopic;
      checkUsage(context, options, topic);
      return withServices(context, async (services) => {
        const ranges = await resolveRange(services.admin, topic, options);
        const { link, domain } = options;
        const linkId = link === undefined ? undefined : await findLinkId(services.database, link, domain);
        const ofLink = linkId === undefined ? undefined : (id: string) => id === linkId;
        await replay({ ...services, options, topic, ranges, ofLink });
      });
    });
};

/** @throws AppError `wrong-usage` */
function checkUsage(context: CliContext, options: ReplayOptions, topic: string): void {
  checkRange(options);
  if (topic === context.config().deadLetterTopic) {
    throw wrongUsage('Dead letters are sent again by `hopcount dead-letters redrive`.');
  }
  if (options.execute && options.target === 'shadow') {
    throw wrongUsage('--target shadow only looks: --execute goes with --target live.');
  }
}

async function replay(job: ReplayJob): Promise<void> {
  const { context, options } = job;
  if (options.target === 'live' && options.execute) return execute(job);
  const { limit } = options;
  const { countsOf } = await import('@hopcount/ledger');
  const run = await readRange(job, { ...job, limit });
  reportCounts(context, options.output, { ...countsOf(run), expectedCountChange: run.expected.size });
  if (options.target === 'live') {
    return context.terminal.message(
      `Nothing was sent (no --execute). It would send ${plural(run.expected.size, 'missing visit')}; expected count change: ${run.expected.size}.`,
    );
  }
  if (run.tally.missing > 0) context.exitWith(VERIFICATION_FAILED);
  context.terminal.message(
    run.tally.missing > 0
      ? `${plural(run.tally.missing, 'visit is', 'visits are')} missing: --target live counts them.`
      : 'No visit is missing.',
  );
}

async function execute(job: ReplayJob): Promise<void> {
  const { context, options, topic, ranges, ofLink } = job;
  const { link, domain, target, resendCounted, limit, rate } = options;
  const given = { topic, link, domain, target, resendCounted, limit, rate, ranges: ranges.map(asText) };
  const request = { topic, ranges, ofLink, limit, ratePerSecond: rate, resendCounted, waitMs: waitMsOf(options) };
  const description = { command: 'replay', arguments: given, output: options.output };
  const { counts } = await asAction(job, description, (action) => sendRange(job, { ...request, action }));
  if (counts['sent'] !== 0) {
    context.terminal.message(
      'What lost visits may have kept them in the sums: hold those against the ledger with `hopcount verify`.',
    );
  }
}

function asText({ partition, from, to }: OffsetRange): string {
  return `${partition}@${from}-${to}`;
}
