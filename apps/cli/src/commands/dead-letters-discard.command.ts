import type { Letter } from '@hopcount/ledger';

import { type Services, withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { addLetterOptions, type LetterOptions, walkLettersOf } from '../dead-letters/letter-options.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption, limitOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const HELP = `
Marks dead letters as given up: redrive passes over them and doctor stops naming them. The letters
themselves stay in the topic until its retention ends, and no count changes. --because is kept in
operator_actions.

Examples:
  $ hopcount dead-letters discard --reason not-json --because "a scanner's garbage"
  $ hopcount dead-letters discard --reason not-json --because "a scanner's garbage" --execute`;

interface DiscardOptions extends OutputOptions, LetterOptions {
  limit: number;
  because: string;
  execute: boolean;
}

export const registerDeadLettersDiscard: RegisterCommand = (parent, context) => {
  addLetterOptions(parent.command('discard'))
    .description('give dead letters up')
    .requiredOption('--because <text>', 'why; kept in the audit row')
    .addOption(limitOption('letters', 10_000, 1_000_000))
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: DiscardOptions) => withServices(context, (services) => discard(services, options)));
};

async function discard(services: Services, options: DiscardOptions): Promise<void> {
  const { context, config, database, admin } = services;
  const { reason, partition, fromOffset, toOffset, limit, because, output } = options;
  const walkWaiting = (onLetters: (letters: Letter[]) => Promise<void> | void) =>
    walkLettersOf(services, options, { limit, matches: (letter) => letter.state === 'waiting', onLetters });
  if (!options.execute) {
    let letters = 0;
    await walkWaiting((some) => void (letters += some.length));
    reportCounts(context, output, { letters, discarded: 0, expectedCountChange: 0 });
    return context.terminal.message(
      `Nothing was changed (no --execute). It would give up ${plural(letters, 'dead letter')}; expected count change: 0.`,
    );
  }
  const given = { reason, partition, fromOffset, toOffset, limit, because };
  await asAction(services, { command: 'dead-letters discard', arguments: given, output }, async (action) => {
    const { DeadLetterStates } = await import('@hopcount/ledger');
    const states = new DeadLetterStates(database, config.deadLetterTopic);
    let discarded = 0;
    await states.forgetGone(await admin.topicOffsets(config.deadLetterTopic));
    await walkWaiting(async (letters) => {
      const records = letters.map(({ record }) => record);
      await states.mark(records, 'discarded', action.id);
      discarded += letters.length;
      await action.noteProgress({ discarded });
    });
    return { outcome: 'done', counts: { discarded } };
  });
}
