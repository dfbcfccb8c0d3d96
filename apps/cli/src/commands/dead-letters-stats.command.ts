import type { Letter } from '@hopcount/ledger';

import { withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { addLetterOptions, type LetterOptions, walkLettersOf } from '../dead-letters/letter-options.js';
import { type LetterSummary, summarize } from '../dead-letters/summarize-letters.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Examples:
  $ hopcount dead-letters stats
  $ hopcount dead-letters stats -o json | jq 'map(select(.waiting > 0))'`;

export const registerDeadLettersStats: RegisterCommand = (parent, context) => {
  addLetterOptions(parent.command('stats'))
    .description('count dead letters by reason and by what became of them')
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions & LetterOptions) => {
      const summaries = new Map<string, LetterSummary>();
      const onLetters = (letters: Letter[]) => summarize(summaries, letters);
      const walk = { limit: Number.MAX_SAFE_INTEGER, onLetters };
      await withServices(context, (services) => walkLettersOf(services, options, walk));
      const rows = [...summaries.values()].sort((a, b) => b.letters - a.letters || (a.reason < b.reason ? -1 : 1));
      context.terminal.rows(options.output, COLUMNS, rows);
      const sum = (of: 'letters' | 'waiting') => rows.reduce((total, row) => total + row[of], 0);
      context.terminal.message(`${plural(sum('letters'), 'dead letter')}, ${sum('waiting')} waiting.`);
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
