import type { KafkaAdmin } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';

import { withDatabase, withKafkaAdmin } from '../connections.js';
import { type CliContext, type OutputOptions, outputOption, type RegisterCommand } from '../context.js';
import { DeadLetterStates } from '../dead-letters/dead-letter-states.js';
import { addLetterOptions, type LetterOptions, walkChosenLetters } from '../dead-letters/letter-options.js';
import type { Letter } from '../dead-letters/walk-letters.js';
import { asAction, type RunningAction } from '../operator-actions/operator-action.js';
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

interface Parts {
  database: Database;
  admin: KafkaAdmin;
  states: DeadLetterStates;
}

export const registerDeadLettersDiscard: RegisterCommand = (parent, context) => {
  addLetterOptions(parent.command('discard'))
    .description('give dead letters up')
    .requiredOption('--because <text>', 'why; kept in the audit row')
    .addOption(limitOption('letters', 10_000, 1_000_000))
    .addOption(executeOption())
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action((options: DiscardOptions) =>
      withDatabase(context.config(), (database) =>
        withKafkaAdmin(context.config(), (admin) => {
          const states = new DeadLetterStates(database, context.config().deadLetterTopic);
          return discard({ database, admin, states }, context, options);
        }),
      ),
    );
};

async function discard(parts: Parts, context: CliContext, options: DiscardOptions): Promise<void> {
  if (!options.execute) {
    let letters = 0;
    await walkWaiting(parts, context, options, (some) => void (letters += some.length));
    reportCounts(context, options.output, { letters, discarded: 0, expectedCountChange: 0 });
    return context.terminal.message(
      `Nothing was changed (no --execute). It would give up ${plural(letters, 'dead letter')}; expected count change: 0.`,
    );
  }
  const { hopcountOperator: operator } = context.config();
  const clusterId = await parts.admin.clusterId();
  const { reason, partition, because, limit } = options;
  const range = { fromOffset: options.fromOffset?.toString(), toOffset: options.toOffset?.toString() };
  const given = { reason, partition, ...range, limit, because };
  const description = { command: 'dead-letters discard', arguments: given, operator, clusterId };
  const { counts } = await asAction(parts.database, description, (action) => execute(parts, context, options, action));
  reportCounts(context, options.output, counts);
}

async function execute(parts: Parts, context: CliContext, options: DiscardOptions, action: RunningAction) {
  let discarded = 0;
  await parts.states.forgetGone(await parts.admin.topicOffsets(context.config().deadLetterTopic));
  await walkWaiting(parts, context, options, async (letters) => {
    await parts.states.mark(
      letters.map(({ record }) => record),
      'discarded',
      action.id,
    );
    discarded += letters.length;
    await action.noteProgress({ discarded });
  });
  return { outcome: 'done' as const, counts: { discarded } };
}

async function walkWaiting(
  parts: Parts,
  context: CliContext,
  options: DiscardOptions,
  onLetters: (letters: Letter[]) => Promise<void> | void,
): Promise<void> {
  const { limit } = options;
  const matches = (letter: Letter) => letter.state === 'waiting';
  const services = { ...parts, config: context.config(), terminal: context.terminal };
  await walkChosenLetters(services, options, { limit, matches, onLetters });
}
