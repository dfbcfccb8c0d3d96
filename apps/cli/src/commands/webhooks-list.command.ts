import type { WebhookRecord } from '@hopcount/links';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Who is told of links, and how that goes. "waiting": events to be posted. A webhook that takes nothing for a day is disabled.

Examples:
  $ hopcount webhooks
  $ hopcount webhooks list -o json`;

export const registerWebhooksList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description('all webhooks, what waits for them and why they fail')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const { WebhookStore } = await import('@hopcount/links');
      const config = context.config();
      const webhooks = await withDatabase(config, (database) => new WebhookStore(database, config).list());
      context.terminal.rows(output, COLUMNS, webhooks);
      context.terminal.message(`Listed: ${plural(webhooks.length, 'webhook')}.`);
    });
};

const COLUMNS: Column<WebhookRecord>[] = [
  { name: 'id', heading: 'id', value: ({ id }) => id, align: 'right' },
  { name: 'url', heading: 'url', value: ({ url }) => url },
  { name: 'events', heading: 'events', value: ({ events, visits }) => [...events, ...visits].join(' ') },
  { name: 'enabled', heading: 'enabled', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
  { name: 'waiting', heading: 'waiting', value: ({ waiting }) => waiting, align: 'right' },
  { name: 'deliveredAt', heading: 'last taken', value: ({ deliveredAt }) => deliveredAt?.toISOString() ?? null },
  { name: 'failure', heading: 'last failure', value: ({ disabledReason, failure }) => disabledReason ?? failure },
];
