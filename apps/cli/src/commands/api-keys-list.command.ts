import { KEY_COLUMNS } from '../api-keys/print-keys.js';
import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import { plural } from '../output/output.js';

const HELP = `
Revoked keys are listed as well: links name them as their author. Nobody can read a key again, only how it begins.

Examples:
  $ hopcount api-keys
  $ hopcount api-keys list -o json`;

export const registerApiKeysList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description('all keys by name: what they may do, what they reach, when they were last used')
    .addOption(limitOption('keys', 10_000, 10_000))
    .addHelpText('after', HELP)
    .action(async ({ limit, output }: OutputOptions & { limit: number }) => {
      const { ApiKeyRegistry } = await import('@hopcount/identities');
      const { keys } = await withDatabase(context.config(), (database) =>
        new ApiKeyRegistry(database).list({ offset: 0, limit }),
      );
      context.terminal.rows(output, KEY_COLUMNS, keys);
      context.terminal.message(`Listed: ${plural(keys.length, 'key')}.`);
    });
};
