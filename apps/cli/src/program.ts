import { Command } from 'commander';

import { registerApiKeysCreate } from './commands/api-keys-create.command.js';
import { registerDeadLettersList } from './commands/dead-letters-list.command.js';
import { registerLag } from './commands/lag.command.js';
import { registerMigrate } from './commands/migrate.command.js';
import { registerTopicsCreate } from './commands/topics-create.command.js';
import { registerVerify } from './commands/verify.command.js';
import type { CliContext } from './context.js';

const HELP = `
Addresses: DATABASE_URL, REDIS_URL and KAFKA_BROKERS; else those of the local stack that runs
(<HOPCOUNT_DATA_DIR or .data>/stack.json); else the local stack's defaults.
Data goes to stdout, progress and messages to stderr.
Exit codes: 0 done, 1 failed or differences found, 2 wrong usage.

Examples:
  $ hopcount lag
  $ hopcount verify --link aBcDeF1
  $ hopcount dead-letters list --limit 20 -o json`;

export function createProgram(context: CliContext): Command {
  const program = new Command('hopcount')
    .description('operator commands of Hopcount: short links whose every visit is counted exactly once')
    .version('0.1.0')
    .addHelpText('after', HELP)
    .showHelpAfterError('(add --help for the options and examples)')
    .configureOutput({
      writeOut: (text) => context.terminal.data(text),
      writeErr: (text) => context.terminal.message(text.trimEnd()),
    })
    .exitOverride();
  const group = (name: string, description: string) => program.command(name).description(description);

  registerMigrate(program, context);
  registerTopicsCreate(group('topics', "Kafka's topics"), context);
  registerApiKeysCreate(group('api-keys', 'keys of the REST API'), context);
  registerLag(program, context);
  registerVerify(program, context);
  registerDeadLettersList(group('dead-letters', 'events that could not be counted'), context);
  return program;
}
