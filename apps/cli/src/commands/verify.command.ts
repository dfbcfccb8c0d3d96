import type { Database } from '@hopcount/postgres';
import { InvalidArgumentError } from 'commander';

import { withDatabase, withKafkaAdmin } from '../connections.js';
import { type CliContext, type OutputOptions, outputOption, type RegisterCommand } from '../context.js';
import { findLinkId } from '../find-link.js';
import type { Column } from '../output.js';
import { waitUntilCounted } from '../wait-until-counted.js';

const DIFFERENCES_FOUND = 1;

const HELP = `
The ledger (table visits) is the truth: every bucket, fold, dimension, unique and slot is computed
from it again and held against what is stored. Nothing is changed. Without --wait, the ordered
totals may be a batch behind while visits arrive.

Examples:
  $ hopcount verify --wait
  $ hopcount verify --link aBcDeF1 -o json`;

interface VerifyOptions extends OutputOptions {
  link?: string;
  domain?: string;
  wait: boolean;
  waitSeconds: number;
}

export const registerVerify: RegisterCommand = (parent, context) => {
  parent
    .command('verify')
    .description('recompute every number from the ledger and print what differs')
    .option('--link <code>', 'only this link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .option('--wait', 'first wait until everything published is counted', false)
    .option('--wait-seconds <n>', 'longest wait of --wait', parseSeconds, 120)
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action((options: VerifyOptions) =>
      withDatabase(context.config(), (database) => verify(database, context, options)),
    );
};

async function verify(database: Database, context: CliContext, options: VerifyOptions): Promise<void> {
  const { terminal } = context;
  const linkId = options.link === undefined ? undefined : await findLinkId(database, options.link, options.domain);
  if (options.wait) {
    await withKafkaAdmin(context.config(), (admin) =>
      waitUntilCounted({ database, admin, terminal }, options.waitSeconds * 1_000),
    );
  }
  const { StatisticsVerifier } = await import('@hopcount/statistics');
  const differences: Difference[] = [];
  for await (const difference of new StatisticsVerifier(database).verify({ linkId })) {
    differences.push(difference);
    terminal.progress(`verifying: ${differences.length} differences so far`);
  }
  if (differences.length > 0 || options.output === 'json') terminal.rows(options.output, COLUMNS, differences);
  terminal.message(differences.length === 0 ? 'Every number equals the ledger.' : `${differences.length} differences.`);
  if (differences.length > 0) context.exitWith(DIFFERENCES_FOUND);
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError('Give a number of seconds above 0.');
}

interface Difference {
  [name: string]: string | number | null;
}

const COLUMNS: Column<Difference>[] = [];
