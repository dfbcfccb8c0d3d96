import type { HostBatches } from '@hopcount/ledger';
import { isAppError } from '@hopcount/runtime';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption, limitOption } from '../operator-actions/options.js';
import { type Column, plural } from '../output/output.js';
import { parseInstant } from '../replay/time-range.js';

const LIST_HELP = `
Batches of counts of hosts that were fed to the API, the newest first. stream: "key 7" is the API key of that id, revoked or not, "user 3" a person.

Examples:
  $ hopcount hosts batches
  $ hopcount hosts batches --stream "key 7" -o json`;

const REVERSE_HELP = `
Takes away what batches of a stream counted, as their own DELETE would: of a key that was revoked, say. What is not counted yet never
will be. Counts of more than 7 days ago stay. Stopped in the middle, the same command goes on.

Examples:
  $ hopcount hosts reverse "key 7"
  $ hopcount hosts reverse "key 7" --since 2026-11-20T08:00Z --execute`;

/** Reversed at once; then it is looked again. */
const PAGE = 1_000;

interface Choice {
  key?: string;
  since?: number;
}

export const registerHostsBatches: RegisterCommand = (parent, context) => {
  parent
    .command('batches')
    .description('batches of counts that were fed, and what became of them')
    .option('--stream <stream>', 'of this API key or user')
    .addOption(limitOption('batches', 50, 10_000))
    .addHelpText('after', LIST_HELP)
    .action(async ({ output, ...options }: OutputOptions & { stream?: string; limit: number }) => {
      const { HostBatches } = await import('@hopcount/ledger');
      const batches = await withDatabase(context.config(), (database) => new HostBatches(database).list(options));
      context.terminal.rows(output, COLUMNS, batches);
      context.terminal.message(`Listed: ${plural(batches.length, 'batch', 'batches')}.`);
    });
};

export const registerHostsReverse: RegisterCommand = (parent, context) => {
  parent
    .command('reverse')
    .description('take away what batches of a stream counted')
    .argument('<stream>', 'as "hopcount hosts batches" shows it')
    .option('--key <key>', 'only the batch of this Idempotency-Key')
    .option('--since <instant>', 'only what was fed then or later', parseInstant)
    .addOption(executeOption())
    .addHelpText('after', REVERSE_HELP)
    .action(async (stream: string, { execute, output, ...choice }: OutputOptions & Choice & { execute: boolean }) => {
      const { HostBatches } = await import('@hopcount/ledger');
      await withDatabase(context.config(), async (database) => {
        const batches = new HostBatches(database);
        if (!execute) {
          const found = await someOf(batches, stream, choice);
          const many = found.length === PAGE ? `${PAGE} batches or more` : plural(found.length, 'batch', 'batches');
          return context.terminal.message(`Would take away ${many}. Nothing was changed (no --execute).`);
        }
        const action = { command: 'hosts reverse', arguments: { stream, ...choice }, output };
        await asAction({ context, database }, action, async () => {
          let reversed = 0;
          for (let some = await someOf(batches, stream, choice); some.length > 0;) {
            for (const { key } of some) await batches.reverse(stream, key).catch(unlessEnded);
            reversed += some.length;
            some = await someOf(batches, stream, choice);
          }
          return { outcome: 'done', counts: { reversed } };
        });
      });
    });
};

/** Too old meanwhile. */
function unlessEnded(error: unknown): void {
  if (!isAppError(error, 'host-batch-ended')) throw error;
}

function someOf(batches: HostBatches, stream: string, { key, since }: Choice) {
  const from = since === undefined ? null : new Date(since);
  return batches.list({ stream, key: key ?? null, since: from, isReversible: true, limit: PAGE });
}

const COLUMNS: Column<Awaited<ReturnType<HostBatches['list']>>[number]>[] = [
  { name: 'stream', heading: 'stream', value: ({ stream }) => stream },
  { name: 'key', heading: 'Idempotency-Key', value: ({ key }) => key },
  { name: 'state', heading: 'state', value: ({ state }) => state },
  { name: 'lines', heading: 'lines', value: ({ lines }) => lines, align: 'right' },
  { name: 'visits', heading: 'visits', value: ({ visits }) => visits, align: 'right' },
  { name: 'acceptedAt', heading: 'accepted', value: ({ acceptedAt }) => acceptedAt },
];
