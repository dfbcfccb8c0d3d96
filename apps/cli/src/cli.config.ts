import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { stackFileSchema, topicNames } from '@hopcount/contracts';
import { AppError, type Config, env, keyRotations, parseConfig } from '@hopcount/runtime';
import { z } from 'zod';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const settings = z.object({
  ...env.services(),
  /** No defaults: a guessed address may be that of another installation. */
  ...env.givenAddresses(),
  /** As the consumers have it: `off` keeps no slots, so verify cannot check them. */
  SLOTS: env.slots().transform((most) => (most === 'off' ? 'off' : 'on')),
  /** As the consumers have them. */
  ...topicNames,
  /** As the gateways have it, or will have it. */
  LOOSE_CODES: env.flag(false),
  LEDGER_DAYS: env.ledgerDays(),
  /** As the gateways have them: by hashes with them a person is found. */
  HOPCOUNT_SECRET: z.string().optional(),
  HOPCOUNT_HASH_SECRET: z.string().optional(),
  HASH_KEY_ROTATIONS: keyRotations,
  /** Of the API that links are imported from. */
  HOPCOUNT_IMPORT_KEY: z.string().optional(),
  /** APIs on private addresses may be imported from. */
  ALLOW_PRIVATE_TARGETS: env.flag(false),
  /** Where the api is reached, as it has it. */
  API_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8081')
    .transform((url) => url.replace(/\/+$/, '')),
  /** Of short URLs, as the api has it. */
  PUBLIC_SCHEME: z.enum(['http', 'https']).default('http'),
  /** As the workers have them; ARCHIVE_CACHE is this machine's. */
  ...env.archive(),
  /** Where this machine's gateways keep visits while Kafka is away; the local stack's unless told. */
  SPOOL_DIR: z.string().transform((folder) => resolve(folder)),
  /** Operations ports of the gateways; the local stack's unless told. */
  GATEWAY_OPS_URLS: env.list(),
  /** Of the local stack, where no HOPCOUNT_SECRET is set. */
  SECRETS_FILE: z.string().transform((file) => resolve(file)),
  /** Of pgBackRest; its file is where Debian has it unless told. */
  PGBACKREST_STANZA: z
    .string()
    .regex(/^[\w-]+$/)
    .default('hopcount'),
  PGBACKREST_CONFIG: z.string().optional(),
  /** How old the last backup may be; doctor looks for it where this is set. */
  BACKUP_MAX_AGE_HOURS: z.coerce.number().positive().optional(),
  /** Who operates, for the rows of operator_actions; the system's user and host unless told. */
  HOPCOUNT_OPERATOR: z.string().min(1).max(200).default(systemOperator),
});
/** LOG_LEVEL is the services' matter: whatever it says, a command runs. */
const schema = settings.omit({ LOG_LEVEL: true });

export type CliConfig = Config<typeof schema>;

/**
 * Where to connect: the environment, else the running local stack (`<data dir>/stack.json`); a command that needs an
 * address that neither names is refused (`addressIn`).
 * @throws AppError `invalid-config`
 */
export function parseCliConfig(environment: NodeJS.ProcessEnv): CliConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const dataDir = resolve(given['HOPCOUNT_DATA_DIR'] ?? join(REPOSITORY, '.data'));
  const places = {
    SPOOL_DIR: join(dataDir, 'spool'),
    ARCHIVE_CACHE: join(dataDir, 'archive-cache'),
    SECRETS_FILE: join(dataDir, 'secrets.json'),
  };
  return parseConfig(schema, { ...places, ...stackAddresses(dataDir), ...given });
}

const VARIABLES = { databaseUrl: 'DATABASE_URL', kafkaBrokers: 'KAFKA_BROKERS', redisUrl: 'REDIS_URL' } as const;

/** @throws AppError `no-address` */
export function addressIn<Name extends keyof typeof VARIABLES>(
  config: CliConfig,
  name: Name,
): NonNullable<CliConfig[Name]> {
  const address = config[name];
  if (address !== undefined) return address;
  throw new AppError(
    'no-address',
    `No stack runs in ${dirname(config.secretsFile)}, and ${VARIABLES[name]} is not set: start one with \`npm start\`, or set ${VARIABLES[name]}.`,
  );
}

function systemOperator(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `?@${hostname()}`; // a user id without a name, as containers have
  }
}

function stackAddresses(dataDir: string): Record<string, string> {
  const path = join(dataDir, 'stack.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {}; // no stack runs here
  }
  const stack = stackFileSchema.safeParse(parseJson(path, text));
  if (!stack.success) throw new AppError('invalid-config', `${path} is not a stack file: start the stack again.`);
  return {
    API_PUBLIC_URL: stack.data.apiUrl,
    DATABASE_URL: stack.data.databaseUrl,
    REDIS_URL: stack.data.redisUrl,
    KAFKA_BROKERS: stack.data.kafkaBrokers,
    GATEWAY_OPS_URLS: stack.data.opsUrls.gateway.join(','),
    ...(stack.data.archiveUrl !== undefined && { ARCHIVE_URL: stack.data.archiveUrl }),
  };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid-config', `${path} is not JSON: start the stack again.`, { cause: error });
  }
}
