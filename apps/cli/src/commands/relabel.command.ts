import { openArchive } from '../archive/open-archive.js';
import { wrongUsage } from '../cli.errors.js';
import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { planRelabel, type RelabelParts, visitsIn } from '../relabel/plan-relabel.js';
import { addTimeRange, boundsOf, type TimeRange } from '../replay/time-range.js';

const ANY_FILE = `SELECT FROM archive_files WHERE state = 'active' LIMIT 1`;
const HELP = `
Labels visits of before by the rules of today: class, the reason of the class, and channel; also of visits from before
there were reasons and channels. Systems, browsers, places and the rest stay as they were found. No visit comes or goes: visits of any
range are as many as before, and human + bot as well. What only a header told (prefetch, do not track) stays, and so does what an
imported visit's source said of it.
The ledger is read and files are written anew, aside; then one transaction changes all of it, so an answer has the labels of
before or of after, never some of both. Killed before, the same command goes on; --start-over begins anew. Visits that are
counted meanwhile have the labels of their consumer, and imported ones of their worker, so first upgrade both.
At most 1,000,000 visits change at once: of more it says so before anything changes. Then give it one month or day after the other; each is
done by itself.

Examples:
  $ hopcount relabel --from 2026-09-01T00:00:00Z --to 2026-10-01T00:00:00Z
  $ hopcount relabel --from 2026-09-01T00:00:00Z --to 2026-10-01T00:00:00Z --execute`;

interface RelabelOptions extends OutputOptions, TimeRange {
  startOver: boolean;
  execute: boolean;
}

export const registerRelabel: RegisterCommand = (parent, context) => {
  const command = parent.command('relabel');
  addTimeRange(command, { from: 'visits that occurred from then on', to: 'and before' })
    .description('give visits of before the classes and channels that the rules of today give')
    .option('--start-over', 'forget what an unfinished one has read', false)
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action(async (options: RelabelOptions) => {
      const { from, to } = await boundsOf(options);
      if (from === undefined || to === undefined) throw wrongUsage('Name a range: --from and --to, or --range.');
      if (from >= to) throw wrongUsage('--from must be before --to.');
      await withDatabase(context.config(), async (database) => {
        const config = context.config();
        const { VisitRelabeler: Relabeler } = await import('@hopcount/ledger');
        const { createLabelRules } = await import('@hopcount/links/visitors');
        const rules = createLabelRules();
        const relabeler = new Relabeler(database, rules, { hasSlots: config.slots === 'on' });
        const archive = (await database.query(ANY_FILE)).length > 0 ? await openArchive(database, config) : undefined;
        const parts = { context, database, relabeler, archive, rules };
        await (options.execute ? relabel : planRelabel)(parts, { ...options, from, to });
      });
    });
};

async function relabel(
  { context, database, relabeler, archive, rules }: RelabelParts,
  options: RelabelOptions & { from: number; to: number },
): Promise<void> {
  const { terminal } = context;
  const { from, to, startOver, output } = options;
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  await asAction(
    { context, database },
    { command: 'relabel', arguments: { ...range, startOver }, output },
    async (action) => {
      if (startOver) await relabeler.giveUp();
      const run = await relabeler.open({ from, to });
      await action.noteProgress({ run: run.id });
      const progress = terminal.startProgress('visits of the ledger', await visitsIn(database, { from, to }));
      const visits = await relabeler.read(run, (soFar) => progress.at(soFar));
      progress.end();
      let changed = 0;
      let files = 0;
      if (archive === undefined) changed = await relabeler.switchAlone(run);
      else {
        const filesRead = terminal.startProgress('files');
        files = await archive.relabel(run, rules, {
          onFile: async (done, total) => {
            filesRead.at(done, { total });
            await relabeler.expectFewAside(run);
          },
          apply: async (tx) => void (changed = await relabeler.switch(tx, run)),
        });
        filesRead.end();
      }
      return { outcome: 'done', counts: { run: run.id, visitsRead: visits, files, changedClass: changed } };
    },
  );
}
