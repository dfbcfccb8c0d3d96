import type { Database } from '@hopcount/postgres';
import { createRateLimit } from '@hopcount/runtime';

import { withDatabase } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand } from '../context.js';
import { asAction, type RunningAction } from '../operator-actions/operator-action.js';
import { executeOption, parseWhole, rateOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const HELP = `
Fills the slots of links whose counters are missing or wrong from the buckets and has their totals and
folds made, while visits are counted: for links that existed before
slots did, or after SLOTS=off. Killed, it goes on where it was; --start-over begins anew. --rate is
links a second here.

Examples:
  $ hopcount slots backfill
  $ hopcount slots backfill --execute
  $ hopcount slots backfill --rate 1000 --execute`;

interface BackfillOptions extends OutputOptions {
  chunk: number;
  rate?: number;
  startOver: boolean;
  execute: boolean;
}

export const registerSlotsBackfill: RegisterCommand = (parent, context) => {
  parent
    .command('backfill')
    .description('fill counters that are missing or wrong, while visits are counted')
    .option('--chunk <n>', 'links of one transaction', (text) => parseWhole(text, 1, 10_000), 500)
    .addOption(rateOption('links'))
    .option('--start-over', 'forget how far an unfinished one came', false)
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: BackfillOptions) =>
      withDatabase(context.config(), async (database) => {
        if (!options.execute) return plan(database, context, options);
        const { chunk, rate, startOver } = options;
        const given = { chunk, rate, startOver };
        const description = { command: 'slots backfill', arguments: given, output: options.output };
        await asAction({ context, database }, description, (action) => execute(database, context, options, action));
      }),
    );
};

async function plan(database: Database, context: CliContext, { output, startOver }: BackfillOptions): Promise<void> {
  const { SlotBackfill } = await import('@hopcount/ledger');
  const backfill = new SlotBackfill(database);
  context.terminal.progress('comparing slots with buckets');
  const countersToFill = await backfill.countWrong();
  const left = startOver ? null : await backfill.progress();
  const goesOnAfterLinks = left?.finishedAt === null ? left.links : 0;
  reportCounts(context, output, { countersToFill, goesOnAfterLinks });
  context.terminal.message(
    `Nothing was changed (no --execute). It would fill ${plural(countersToFill, 'counter')}; expected change of visits counted: 0.`,
  );
}

async function execute(database: Database, context: CliContext, options: BackfillOptions, action: RunningAction) {
  const { EVERYTHING, SlotBackfill, startLinkProgress } = await import('@hopcount/ledger');
  const { chunk, startOver, rate } = options;
  const chunkLinks = Math.min(chunk, rate ?? chunk);
  const rateLimit = createRateLimit(rate);
  const shown = await startLinkProgress(database, context.terminal, 'links', EVERYTHING);
  const { links, filled } = await new SlotBackfill(database).run({
    chunkLinks,
    startOver,
    onProgress: async (progress) => {
      shown.at(progress.links);
      await action.noteProgress({ links: progress.links, filled: progress.filled });
      await rateLimit(chunkLinks);
    },
  });
  shown.end(links);
  return { outcome: 'done' as const, counts: { links, filled } };
}
