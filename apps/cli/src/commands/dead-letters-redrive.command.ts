import type { LetterRedrive } from '@hopcount/ledger';

import { type Services, withServices } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { addLetterOptions, type LetterOptions, walkChosenLetters } from '../dead-letters/letter-options.js';
import { asAction, type RunningAction } from '../operator-actions/operator-action.js';
import {
  addWaitOptions,
  executeOption,
  limitOption,
  rateOption,
  type WaitOptions,
  waitMsOf,
} from '../operator-actions/options.js';
import { checkCountChange, reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';
import { withSender } from '../resend/with-sender.js';

const HELP = `
Sends the original bytes (key, value, headers) to the visits topic again. The ledger counts each
event once, so running it twice, or after it was killed half-way, is harmless; what was sent is
remembered in PostgreSQL and not sent again (unless --again). A letter that is still refused comes
back as a new dead letter.

Examples:
  $ hopcount dead-letters redrive --reason unstorable
  $ hopcount dead-letters redrive --reason unstorable --rate 500 --execute
  $ hopcount dead-letters redrive --partition 1 --from-offset 40 --to-offset 60 --execute`;

interface RedriveOptions extends OutputOptions, LetterOptions, WaitOptions {
  limit: number;
  rate?: number;
  again: boolean;
  execute: boolean;
}

export const registerDeadLettersRedrive: RegisterCommand = (parent, context) => {
  const command = addLetterOptions(parent.command('redrive'))
    .description('send dead letters to be counted again')
    .addOption(limitOption('letters', 10_000, 1_000_000))
    .addOption(rateOption())
    .option('--again', 'also those that were redriven or discarded before', false)
    .addOption(executeOption());
  addWaitOptions(command)
    .addHelpText('after', HELP)
    .action((options: RedriveOptions) => withServices(context, (services) => redrive(services, options)));
};

async function redrive(services: Services, options: RedriveOptions): Promise<void> {
  const { context, config, database } = services;
  const { reason, partition, fromOffset, toOffset, limit, rate, again, output } = options;
  if (!options.execute) {
    const { LetterRedrive: Redrive, VisitJudge } = await import('@hopcount/ledger');
    const plan = new Redrive({ judge: new VisitJudge(database, config), countsTopic: config.hostCountsTopic });
    await walk(services, options, plan);
    reportCounts(context, output, { ...plan.tally, expectedCountChange: plan.expected.size });
    return context.terminal.message(
      `Nothing was sent (no --execute). It would send ${plural(plan.tally.letters, 'dead letter')}; expected count change: ${plan.expected.size}.`,
    );
  }
  const given = { reason, partition, fromOffset, toOffset, limit, rate, again };
  const description = { command: 'dead-letters redrive', arguments: given, output };
  await asAction(services, description, (action) => execute(services, options, action));
}

function execute(services: Services, options: RedriveOptions, action: RunningAction) {
  const { config, database, admin } = services;
  const ratePerSecond = options.rate;
  return withSender(config, { actionId: action.id, ratePerSecond }, async (sender) => {
    const { DeadLetterStates, LetterRedrive: Redrive, VisitJudge } = await import('@hopcount/ledger');
    const states = new DeadLetterStates(database, config.deadLetterTopic);
    const execution = { sender, states, actionId: action.id };
    const judge = new VisitJudge(database, config);
    const run = new Redrive({ judge, countsTopic: config.hostCountsTopic, ratePerSecond, execution });
    await states.forgetGone(await admin.topicOffsets(config.deadLetterTopic));
    await walk(services, options, run, () => action.noteProgress({ ...run.tally }));
    return checkCountChange(services, { expected: run.expected, counts: { ...run.tally }, waitMs: waitMsOf(options) });
  });
}

async function walk(
  services: Services,
  options: RedriveOptions,
  run: LetterRedrive,
  after?: () => Promise<void>,
): Promise<void> {
  await walkChosenLetters(services, options, {
    limit: options.limit,
    matches: (letter) => options.again || letter.state === 'waiting',
    onLetters: async (letters) => {
      await run.take(letters);
      await after?.();
    },
  });
}
