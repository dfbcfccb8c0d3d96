import type { RedisClient } from '@hopcount/redis';

import type { CliConfig } from '../cli.config.js';
import { wrongUsage } from '../cli.errors.js';
import { silentLogger, withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';

const REDIS_WAIT_MS = 2_000;
const SWITCH = 'RATE_LIMIT_REDIRECTS';
const WHO = { gateway: 'Every gateway', api: 'Every api process' };

const SET_HELP = `
The value holds instead of the environment's on every gateway or api process, within a second, without a restart. A process that
misses the message follows within a minute; while PostgreSQL is away, each keeps what it has. "hopcount limits" names the limits.
A size is how many requests at once, and how many a second. Limits of redirects hold where ${SWITCH} is true.

Examples:
  $ hopcount limits set REDIRECT_LIMIT 10:5
  $ hopcount limits set REDIRECT_LIMIT 10:5 --execute
  $ hopcount limits set ${SWITCH} true --execute`;

const UNSET_HELP = `
The value of each process's environment holds again, within a second, without a restart.

Example:
  $ hopcount limits unset REDIRECT_LIMIT --execute`;

type ChangeOptions = OutputOptions & { execute: boolean };

export const registerLimitsSet: RegisterCommand = (parent, context) => {
  parent
    .command('set')
    .description('change a limit of requests on processes that run')
    .argument('<name>', 'which, such as REDIRECT_LIMIT')
    .argument('<value>', 'at once:a second, such as 10:5; or true, false')
    .addOption(executeOption())
    .addHelpText('after', SET_HELP)
    .action((name: string, value: string, options: ChangeOptions) => change(context, { name, value }, options));
};

export const registerLimitsUnset: RegisterCommand = (parent, context) => {
  parent
    .command('unset')
    .description('let the environment of each process decide a limit again')
    .argument('<name>', 'which, such as REDIRECT_LIMIT')
    .addOption(executeOption())
    .addHelpText('after', UNSET_HELP)
    .action((name: string, options: ChangeOptions) => change(context, { name, value: null }, options));
};

async function change(
  context: CliContext,
  { name, value }: { name: string; value: string | null },
  { execute, output }: ChangeOptions,
): Promise<void> {
  const { announceLimits, defaultOf, followersOf, isLimitName, LIMIT_NAMES, limitFault, StoredLimits } =
    await import('@hopcount/links');
  if (!isLimitName(name)) throw wrongUsage(`There is no limit ${name}. Limits: ${LIMIT_NAMES.join(', ')}.`);
  const fault = value === null ? undefined : limitFault(name, value);
  if (fault !== undefined) throw wrongUsage(fault);
  const { terminal } = context;
  await withDatabase(context.config(), async (database) => {
    const limits = new StoredLimits(database);
    const stored = new Map((await limits.list()).map((limit) => [limit.name, limit.value]));
    const before = stored.get(name) ?? null;
    const from = `the environment's (default ${defaultOf(name)})`;
    const plan = { limit: name, before: before ?? from, after: value ?? from, followedBy: followersOf(name) };
    if (!execute) {
      reportCounts(context, output, plan);
      return terminal.message('Nothing was changed (no --execute).');
    }
    const command = value === null ? 'limits unset' : 'limits set';
    await asAction({ context, database }, { command, arguments: { name, value, before }, output }, async () => {
      await limits.set(name, value);
      return { outcome: 'done', counts: plan };
    });
    const isAnnounced = await withRedis(context.config(), announceLimits);
    terminal.message(whoFollows(followersOf(name), isAnnounced));
    if (followersOf(name) === 'gateway' && name !== SWITCH && stored.get(SWITCH) !== 'true') {
      terminal.message(`It holds where ${SWITCH} is true: in the environment, or by limits set ${SWITCH} true.`);
    }
  });
}

function whoFollows(followers: keyof typeof WHO, isAnnounced: boolean): string {
  const who = WHO[followers];
  if (isAnnounced) return `${who} follows within a second; one that misses the message, within a minute.`;
  return `Redis did not take the message: ${who.toLowerCase()} follows within a minute.`;
}

/** What PostgreSQL has decided does not fail for its sake. */
async function withRedis(
  { redisUrl: url }: CliConfig,
  work: (redis: RedisClient) => Promise<boolean>,
): Promise<boolean> {
  if (url === undefined) return false;
  const { createRedis, waitForUse } = await import('@hopcount/redis');
  const client = createRedis({ url, name: 'hopcount-cli', logger: silentLogger });
  try {
    return (await waitForUse(client, REDIS_WAIT_MS)).isUsable && (await work(client));
  } finally {
    client.disconnect();
  }
}
