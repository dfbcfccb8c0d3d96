import { API_SCOPES, type ApiScope, readMoment } from '@hopcount/contracts';
import { InvalidArgumentError, Option } from 'commander';

import { printIssued } from '../api-keys/print-keys.js';
import { withDatabase } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';

const HELP = `
Acts at once. Without --scope the key may do everything (admin); with a role (--authored-only, --only-domain,
--no-orphans) everything but make keys. What a key may do never changes: create another one.

Examples:
  $ hopcount api-keys create --name laptop -o json
  {"apiKey": "…"}
  $ hopcount api-keys create --name newsletter --scope links:read --scope links:write --authored-only
  $ hopcount api-keys create --name partner --only-domain go.example.com --expires 2027-01-01`;

interface CreateOptions extends OutputOptions {
  name: string;
  scope?: ApiScope[];
  expires?: Date;
  authoredOnly?: true;
  onlyDomain?: string;
  orphans: boolean;
}

export const registerApiKeysCreate: RegisterCommand = (parent, context) => {
  parent
    .command('create')
    .description('create an API key; it is shown once and only its hash is kept')
    .requiredOption('--name <name>', 'who or what the key is for; no other key has it')
    .addOption(
      new Option('--scope <scope>', `what it may do, may be repeated: ${API_SCOPES.join(', ')}`).argParser(addScope),
    )
    .option('--expires <date>', 'from then on it is refused, such as 2027-01-01 or 2027-01-01T12:00:00Z', parseDate)
    .option('--authored-only', 'role: it reaches only links that it created')
    .option('--only-domain <domain>', 'role: it reaches only links of this domain (DEFAULT: the default one)')
    .option('--no-orphans', 'role: it sees no orphan visits')
    .addHelpText('after', HELP)
    .action(async ({ name, scope, expires, authoredOnly, onlyDomain, orphans, output }: CreateOptions) => {
      const { ApiKeyRegistry } = await import('@hopcount/identities');
      const given = { name, scopes: scope, expiresAt: expires, authoredOnly, domain: onlyDomain };
      const { key } = await withDatabase(context.config(), (database) =>
        new ApiKeyRegistry(database).create({ ...given, noOrphanVisits: !orphans }),
      );
      printIssued(context, output, key);
    });
};

function addScope(text: string, before: ApiScope[] = []): ApiScope[] {
  const scope = API_SCOPES.find((one) => one === text);
  if (scope === undefined) throw new InvalidArgumentError(`Give one of ${API_SCOPES.join(', ')}.`);
  return [...before, scope];
}

function parseDate(text: string): Date {
  const moment = readMoment(text);
  if (moment !== undefined && moment.kind !== 'local') return new Date(moment.atMs);
  throw new InvalidArgumentError('Give an existing date, such as 2027-01-01 (UTC) or 2027-01-01T12:00:00Z.');
}
