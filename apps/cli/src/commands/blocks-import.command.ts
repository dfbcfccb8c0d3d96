import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { createInterface } from 'node:readline';

import type { BlockValue } from '@hopcount/links';

import { wrongUsage } from '../cli.errors.js';
import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const TOLD = 10;
/** More than are ever kept: the rest of a file is not read. */
const MAX_HOSTS = 300_000;

const HELP = `
A host a line, the form of /etc/hosts (0.0.0.0 evil.example), or Adblock's (||evil.example^); comments are passed over,
other rules told. All hosts of the file are blocked or, when there are too many (250,000 in all), none. Hosts that are
blocked already stay as they are, so a newer list is simply imported, too.

Examples:
  $ hopcount blocks import hosts.txt
  $ hopcount blocks import hosts.txt --reason "public list 2026-09" --execute
  $ hopcount blocks import new-hosts.txt --warn --execute`;

interface ImportOptions extends OutputOptions {
  reason: string;
  warn?: boolean;
  execute: boolean;
}

export const registerBlocksImport: RegisterCommand = (parent, context) => {
  parent
    .command('import')
    .description('block the hosts of a public block list')
    .argument('<file>', 'the list')
    .option('--reason <text>', 'why, for whoever reads the list', '')
    .option('--warn', 'let visitors go on from a page that names the host')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action(async (file: string, { reason, warn, execute, output }: ImportOptions) => {
      const action = warn === true ? 'warn' : 'block';
      const { blocks, others } = await read(file);
      for (const line of others.slice(0, TOLD)) context.terminal.message(`line ${line}: no host to block; passed over`);
      if (others.length > TOLD) context.terminal.message(`and ${plural(others.length - TOLD, 'other line')}`);
      const found = { hosts: blocks.length, linesPassedOver: others.length };
      if (!execute) {
        reportCounts(context, output, found);
        return context.terminal.message('Nothing was changed (no --execute).');
      }
      await withDatabase(context.config(), async (database) => {
        const { BlockStore } = await import('@hopcount/links');
        const description = { command: 'blocks import', arguments: { file, reason, action }, output };
        await asAction({ context, database }, description, async () => ({
          outcome: 'done',
          counts: { ...found, added: await new BlockStore(database).addAll(blocks, reason, action) },
        }));
      });
    });
};

/** @throws AppError `wrong-usage` */
async function read(file: string): Promise<{ blocks: BlockValue[]; others: number[] }> {
  await access(file).catch(() => {
    throw wrongUsage(`There is no file ${file} that can be read.`);
  });
  const { readBlockLine } = await import('@hopcount/links');
  const hosts = new Map<string, BlockValue>();
  const others: number[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    const { blocks, isOther } = readBlockLine(line);
    for (const block of blocks) hosts.set(block.value, block);
    if (isOther) others.push(number);
    if (hosts.size > MAX_HOSTS) break;
  }
  return { blocks: [...hosts.values()], others };
}
