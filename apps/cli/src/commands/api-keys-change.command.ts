import type { ApiKeyRecord, ApiKeyRegistry } from '@hopcount/identities';
import { Option } from 'commander';

import { printIssued } from '../api-keys/print-keys.js';
import { withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { parseWhole } from '../operator-actions/options.js';

const WEEK_SECONDS = 7 * 86_400;
const FOLLOWED = 'Every api process follows within 5 seconds.';

export const registerApiKeysRotate: RegisterCommand = (parent, context) => {
  parent
    .command('rotate')
    .argument('<name>', 'which key')
    .description('give a key another secret, which is shown once')
    .addOption(
      new Option('--grace-seconds <n>', 'for so long the old secret works, too')
        .argParser((text) => parseWhole(text, 0, WEEK_SECONDS))
        .default(0),
    )
    .addHelpText(
      'after',
      `\nActs at once. ${FOLLOWED}\n\nExample:\n  $ hopcount api-keys rotate ci --grace-seconds 3600`,
    )
    .action(async (name: string, { graceSeconds, output }: OutputOptions & { graceSeconds: number }) => {
      let key = '';
      await change(context, { command: 'rotate', name, more: { graceSeconds } }, async (registry, { id }) => {
        ({ key } = await registry.rotate(id, graceSeconds));
      });
      printIssued(context, output, key);
    });
};

export const registerApiKeysDisable: RegisterCommand = (parent, context) => {
  parent
    .command('disable')
    .argument('<name>', 'which key')
    .description('refuse a key until it is enabled again')
    .addHelpText('after', `\nActs at once. ${FOLLOWED}\n\nExample:\n  $ hopcount api-keys disable ci`)
    .action(async (name: string) => {
      await change(context, { command: 'disable', name }, (registry, { id }) => registry.enable(id, false));
      context.terminal.message(`The key "${name}" is disabled. ${FOLLOWED}`);
    });
};

export const registerApiKeysEnable: RegisterCommand = (parent, context) => {
  parent
    .command('enable')
    .argument('<name>', 'which key')
    .description('take a disabled key again')
    .addHelpText('after', `\nActs at once. ${FOLLOWED}\n\nExample:\n  $ hopcount api-keys enable ci`)
    .action(async (name: string) => {
      await change(context, { command: 'enable', name }, (registry, { id }) => registry.enable(id, true));
      context.terminal.message(`The key "${name}" is enabled. ${FOLLOWED}`);
    });
};

export const registerApiKeysRevoke: RegisterCommand = (parent, context) => {
  parent
    .command('revoke')
    .argument('<name>', 'which key')
    .description('refuse a key for good')
    .addHelpText(
      'after',
      `\nActs at once, and nothing brings it back. ${FOLLOWED}\n\nExample:\n  $ hopcount api-keys revoke ci`,
    )
    .action(async (name: string) => {
      await change(context, { command: 'revoke', name }, (registry, { id }) => registry.revoke(id));
      context.terminal.message(`The key "${name}" is revoked. ${FOLLOWED}`);
    });
};

/** Noted in operator_actions. */
async function change(
  context: CliContext,
  { command, name, more = {} }: { command: string; name: string; more?: Record<string, unknown> },
  work: (registry: ApiKeyRegistry, key: ApiKeyRecord) => Promise<unknown>,
): Promise<void> {
  const { ApiKeyRegistry } = await import('@hopcount/identities');
  await withDatabase(context.config(), async (database) => {
    const registry = new ApiKeyRegistry(database);
    const key = await registry.named(name);
    const description = { command: `api-keys ${command}`, arguments: { name, ...more } };
    await asAction({ context, database }, description, async () => {
      await work(registry, key);
      return { outcome: 'done', counts: {} };
    });
  });
}
