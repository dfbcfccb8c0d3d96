import { silentLogger, withDatabase } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';

export const registerApiKeysCreate: RegisterCommand = (parent, context) => {
  parent
    .command('create')
    .description('create an API key; it is shown once and only its hash is kept')
    .requiredOption('--name <name>', 'who or what the key is for')
    .addHelpText('after', '\nExample:\n  $ hopcount api-keys create --name laptop -o json\n  {"apiKey": "…"}')
    .action(async ({ name, output }: OutputOptions & { name: string }) => {
      const { ApiKeys } = await import('@hopcount/links');
      const { key } = await withDatabase(context.config(), (database) =>
        new ApiKeys(database, { logger: silentLogger }).create(name),
      );
      const columns = [{ name: 'apiKey', heading: 'API key', value: (apiKey: string) => apiKey }];
      context.terminal.rows(output, columns, [key], ([object]) => object);
      context.terminal.message('Keep it: it cannot be shown again. Send it as the X-Api-Key header.');
    });
};
