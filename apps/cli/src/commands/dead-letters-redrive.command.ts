import type { RedriveCheckpoint } from '@hopcount/ledger';

import { type Services, withServices } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { addLetterOptions, type LetterOptions, letterServices } from '../dead-letters/letter-options.js';
import { asAction } from '../operator-actions/operator-action.js';
import {
  addWaitOptions,
  executeOption,
  expectOffsetOrder,
  limitOption,
  rateOption,
  type WaitOptions,
  waitMsOf,
} from '../operator-actions/options.js';
import { reportCountChange, reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

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
  const { context } = services;
  expectOffsetOrder(options);
  const { reason, partition, fromOffset, toOffset, limit, rate, again, output } = options;
  const given = { reason, partition, fromOffset, toOffset, limit, rate, again };
  const choice = { ...given, ratePerSecond: rate };
  const { planRedrive, runRedrive } = await import('@hopcount/ledger');
  if (!options.execute) {
    const plan = await planRedrive(letterServices(services), choice);
    reportCounts(context, output, { ...plan.tally, expectedCountChange: plan.expected.size });
    return context.terminal.message(
      `Nothing was sent (no --execute). It would send ${plural(plan.tally.letters, 'dead letter')}; expected count change: ${plan.expected.size}.`,
    );
  }
  await asAction(services, { command: 'dead-letters redrive', arguments: given, output }, async (action) => {
    const run = {
      ...{ actionId: action.id, waitMs: waitMsOf(options) },
      keep: ({ tally }: RedriveCheckpoint) => action.noteProgress({ ...tally }),
    };
    return reportCountChange(context, await runRedrive(letterServices(services), choice, run));
  });
}
