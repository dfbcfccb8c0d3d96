import { InvalidArgumentError } from 'commander';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';

const TEST_HELP = `
A worker posts it within seconds (type "webhook.test"); "hopcount webhooks" then says whether it was taken.

Example:
  $ hopcount webhooks test 7 --execute`;

const ENABLE_HELP = `
What waits is posted at once, unless it is older than three days; that is dropped.

Example:
  $ hopcount webhooks enable 7 --execute`;

type Options = OutputOptions & { execute: boolean };

export const registerWebhooksTest: RegisterCommand = (parent, context) => {
  parent
    .command('test')
    .description('post an event that says nothing to a webhook')
    .argument('<id>', 'of the webhook', parseId)
    .addOption(executeOption())
    .addHelpText('after', TEST_HELP)
    .action(async (id: number, { execute, output }: Options) => {
      if (!execute) return context.terminal.message(`Would post to webhook ${id}. Nothing was changed (no --execute).`);
      const { WebhookStore } = await import('@hopcount/links');
      const config = context.config();
      await withDatabase(config, (database) =>
        asAction({ context, database }, { command: 'webhooks test', arguments: { id }, output }, async () => {
          const eventId = await new WebhookStore(database, config).test(id, new Date());
          return { outcome: 'done', counts: { eventId } };
        }),
      );
    });
};

export const registerWebhooksEnable: RegisterCommand = (parent, context) => {
  parent
    .command('enable')
    .description('enable a webhook that was disabled')
    .argument('<id>', 'of the webhook', parseId)
    .addOption(executeOption())
    .addHelpText('after', ENABLE_HELP)
    .action(async (id: number, { execute, output }: Options) => {
      if (!execute) return context.terminal.message(`Would enable webhook ${id}. Nothing was changed (no --execute).`);
      const { WebhookStore } = await import('@hopcount/links');
      const config = context.config();
      await withDatabase(config, (database) =>
        asAction({ context, database }, { command: 'webhooks enable', arguments: { id }, output }, async () => {
          const { waiting } = await new WebhookStore(database, config).edit(id, { enabled: true });
          return { outcome: 'done', counts: { waiting } };
        }),
      );
    });
};

function parseId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number that "hopcount webhooks" shows.');
}
