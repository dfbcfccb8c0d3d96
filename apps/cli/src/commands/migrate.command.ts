import { withDatabase } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';

const HELP = `
Acts at once: migrations are applied one at a time under an advisory lock, and running it again does nothing.

Example:
  $ hopcount migrate`;

export const registerMigrate: RegisterCommand = (parent, context) => {
  parent
    .command('migrate')
    .description('apply the pending database migrations')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const applied = await withDatabase(context.config(), (database) => database.migrate());
      if (applied.length === 0) context.terminal.message('The database is up to date.');
      const columns = [{ name: 'migration', heading: 'applied', value: (name: string) => name }];
      if (applied.length > 0 || output === 'json') context.terminal.rows(output, columns, applied);
    });
};
