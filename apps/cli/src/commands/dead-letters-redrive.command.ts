import type { KafkaAdmin } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';

import { withDatabase, withKafkaAdmin } from '../connections.js';
import { type CliContext, type OutputOptions, outputOption, type RegisterCommand } from '../context.js';
import { DeadLetterStates } from '../dead-letters/dead-letter-states.js';
import { addLetterOptions, type LetterOptions, walkChosenLetters } from '../dead-letters/letter-options.js';
import { LetterRedrive } from '../dead-letters/redrive-letters.js';
import { VisitJudge } from '../verdicts/visit-judge.js';
import { asAction, type RunningAction } from '../operator-actions/operator-action.js';
import { executeOption, limitOption, rateOption, waitOptions } from '../operator-actions/options.js';
import { createRateLimit } from '../operator-actions/rate-limit.js';
import { checkCountChange, reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';
import { RecordSender, withPublisher } from '../resend/record-sender.js';
import { waitUntilReached } from '../lag/wait-until-reached.js';

const HELP = `
Sends the original bytes (key, value, headers) to the visits topic again. The ledger counts each
event once, so running it twice, or after it was killed half-way, is harmless; what was sent is
remembered in PostgreSQL and not sent again (unless --again). A letter that is still refused comes
back as a new dead letter.

Examples:
  $ hopcount dead-letters redrive --reason unstorable
  $ hopcount dead-letters redrive --reason unstorable --rate 500 --execute
  $ hopcount dead-letters redrive --partition 1 --from-offset 40 --to-offset 60 --execute`;

interface RedriveOptions extends OutputOptions, LetterOptions {
  limit: number;
  rate?: number;
  again: boolean;
  execute: boolean;
  wait: boolean;
  waitSeconds: number;
}

interface Parts {
  database: Database;
  admin: KafkaAdmin;
  states: DeadLetterStates;
}

export const registerDeadLettersRedrive: RegisterCommand = (parent, context) => {
  const command = addLetterOptions(parent.command('redrive'))
    .description('send dead letters to be counted again')
    .addOption(limitOption('letters', 10_000, 1_000_000))
    .addOption(rateOption())
    .option('--again', 'also those that were redriven or discarded before', false)
    .addOption(executeOption());
  for (const option of waitOptions()) command.addOption(option);
  command
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action((options: RedriveOptions) =>
      withDatabase(context.config(), (database) =>
        withKafkaAdmin(context.config(), (admin) => {
          const states = new DeadLetterStates(database, context.config().deadLetterTopic);
          return redrive({ database, admin, states }, context, options);
        }),
      ),
    );
};

async function redrive(parts: Parts, context: CliContext, options: RedriveOptions): Promise<void> {
  if (!options.execute) {
    const plan = new LetterRedrive({ judge: new VisitJudge(parts.database, context.config()) });
    await walk(parts, context, options, plan);
    reportCounts(context, options.output, { ...plan.tally, expectedCountChange: plan.expected.size });
    return context.terminal.message(
      `Nothing was sent (no --execute). It would send ${plural(plan.tally.letters, 'dead letter')}; expected count change: ${plan.expected.size}.`,
    );
  }
  const { hopcountOperator: operator } = context.config();
  const clusterId = await parts.admin.clusterId();
  const description = { command: 'dead-letters redrive', arguments: describe(options), operator, clusterId };
  const { counts } = await asAction(parts.database, description, (action) => execute(parts, context, options, action));
  reportCounts(context, options.output, counts);
}

async function execute(parts: Parts, context: CliContext, options: RedriveOptions, action: RunningAction) {
  const { terminal } = context;
  const config = context.config();
  return withPublisher(config, async (publisher) => {
    const rateLimit = createRateLimit(options.rate);
    const sender = new RecordSender(publisher, { topic: config.visitsTopic, actionId: action.id, rateLimit });
    const run = new LetterRedrive({
      judge: new VisitJudge(parts.database, config),
      ratePerSecond: options.rate,
      execution: { sender, states: parts.states, actionId: action.id },
    });
    await parts.states.forgetGone(await parts.admin.topicOffsets(config.deadLetterTopic));
    await walk(parts, context, options, run, () => action.noteProgress({ ...run.tally }));
    const counts = { ...run.tally };
    const expected = run.expected.size;
    if (!options.wait) return { outcome: 'done' as const, counts: { ...counts, expectedCountChange: expected } };
    await waitUntilReached({ ...parts, config, terminal }, options.waitSeconds * 1_000);
    return checkCountChange(context, { expected, actual: await run.expected.counted(parts.database) }, counts);
  });
}

async function walk(
  parts: Parts,
  context: CliContext,
  options: RedriveOptions,
  run: LetterRedrive,
  after: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await walkChosenLetters({ ...parts, config: context.config(), terminal: context.terminal }, options, {
    limit: options.limit,
    matches: (letter) => options.again || letter.state === 'waiting',
    onLetters: async (letters) => {
      await run.take(letters);
      await after();
    },
  });
}

function describe({ reason, partition, fromOffset, toOffset, limit, rate, again }: RedriveOptions) {
  return { reason, partition, fromOffset: fromOffset?.toString(), toOffset: toOffset?.toString(), limit, rate, again };
}
