import { withDatabase, withKafkaAdmin } from '../connections.js';
import { type OutputOptions, outputOption, type RegisterCommand } from '../context.js';
import { DeadLetterStates } from '../dead-letters/dead-letter-states.js';
import { addLetterOptions, type LetterOptions, walkChosenLetters } from '../dead-letters/letter-options.js';
import { type LetterSummary, summarize } from '../dead-letters/summarize-letters.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Examples:
  $ hopcount dead-letters stats
  $ hopcount dead-letters stats -o json | jq 'map(select(.waiting > 0))'`;

export const registerDeadLettersStats: RegisterCommand = (parent, context) => {
  addLetterOptions(parent.command('stats'))
    .description('count dead letters by reason and by what became of them')
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions & LetterOptions) => {
      const config = context.config();
      const { terminal } = context;
      const summaries = new Map<string, LetterSummary>();
      await withDatabase(config, (database) =>
        withKafkaAdmin(config, (admin) => {
          const states = new DeadLetterStates(database, config.deadLetterTopic);
          return walkChosenLetters({ config, admin, states, terminal }, options, {
            limit: Number.MAX_SAFE_INTEGER,
            onLetters: (letters) => summarize(summaries, letters),
          });
        }),
      );
      const rows = [...summaries.values()].sort((a, b) => b.letters - a.letters || (a.reason < b.reason ? -1 : 1));
      terminal.rows(options.output, COLUMNS, rows);
      const sum = (of: (row: LetterSummary) => number) => rows.reduce((total, row) => total + of(row), 0);
      terminal.message(
        `${plural(
          sum((row) => row.letters),
          'dead letter',
        )}, ${sum((row) => row.waiting)} waiting.`,
      );
    });
};

const COLUMNS: Column<LetterSummary>[] = [
  { name: 'reason', heading: 'reason', value: (row) => row.reason },
  { name: 'step', heading: 'step', value: (row) => row.step },
  { name: 'letters', heading: 'letters', value: (row) => row.letters, align: 'right' },
  { name: 'waiting', heading: 'waiting', value: (row) => row.waiting, align: 'right' },
  { name: 'redriven', heading: 'redriven', value: (row) => row.redriven, align: 'right' },
  { name: 'discarded', heading: 'discarded', value: (row) => row.discarded, align: 'right' },
  { name: 'oldestWaiting', heading: 'oldest waiting', value: (row) => row.oldestWaiting },
  { name: 'newest', heading: 'newest', value: (row) => row.newest },
];
