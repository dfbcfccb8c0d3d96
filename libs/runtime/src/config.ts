import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { AppError } from './app-error.js';
import { kafkaClientSettings } from './kafka-servers.js';
import { redisUrl } from './redis-servers.js';
import { secretSettings } from './secrets.js';
import { traceSettings } from './tracing/tracing.js';
import { parseTrustedProxies } from './trusted-proxies.js';
import { builtVersion } from './version.js';

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name & string>;

/** The settings of a process: DATABASE_URL is `databaseUrl`, and so on. */
export type Config<Schema extends z.ZodObject> = Readonly<{
  [Name in keyof z.output<Schema> as CamelCase<Name>]: z.output<Schema>[Name];
}>;

/**
 * Environment → frozen, typed settings. Called once, in `main.ts`; nothing else reads process.env.
 * @throws AppError `invalid-config` naming every wrong variable at once.
 */
export function parseConfig<Schema extends z.ZodObject>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): Config<Schema> {
  // An empty variable means "not set": that is what compose files and shells produce.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || '(all)'}: ${issue.message}`);
    throw new AppError('invalid-config', `These environment variables need attention:\n${wrong.join('\n')}`);
  }
  const settings = Object.entries(parsed.data).map(([name, value]) => [settingKey(name), value]);
  return Object.freeze(Object.fromEntries(settings)) as Config<Schema>;
}

/** Its name in a Config: DATABASE_URL is `databaseUrl`. */
export function settingKey(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const port = z.coerce.number().int().min(0).max(65_535);
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const trustedProxies = list.default([]).transform((entries, context) => {
  try {
    return parseTrustedProxies(entries);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const bucket = z
  .string()
  .regex(/^[1-9]\d{0,6}:\d{1,6}(\.\d{1,4})?$/, 'tokens it holds, and tokens a second: 100:10')
  .transform((text) => text.split(':').map(Number) as [number, number])
  .refine(([, perSecond]) => perSecond > 0, 'more than 0 tokens a second')
  .transform(([burst, perSecond]) => ({ burst, perSecond }));

const opsSettings = (port: number) => ({
  /** Where the operations port listens: metrics and reasons are for scrapers, not for the public. */
  OPS_HOST: env.host(),
  OPS_PORT: env.port(port),
  /** Tells this process from others of its kind in its metrics; default: the kind. */
  PROCESS_NAME: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'letters, digits and ._- only, at most 64')
    .optional(),
  /** Tells releases apart in health, metrics and visits; default: that of the package and the commit it was built of. */
  HOPCOUNT_VERSION: z
    .string()
    .regex(/^[\w.+-]{1,24}$/, 'letters, digits and ._+- only, at most 24')
    .default(builtVersion),
});

const DURATION_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const duration = (fallback: string) =>
  z
    .string()
    .regex(/^\d+[mhd]$/, 'a number of minutes, hours or days: 90m, 6h, 2d')
    .default(fallback)
    .transform((text) => Number(text.slice(0, -1)) * DURATION_MS[text.slice(-1) as keyof typeof DURATION_MS]);

const megabytes = (fallback: string, least: number) =>
  z
    .string()
    .regex(/^\d+(MB|GB)$/, 'so many MB or GB: 512MB, 2GB')
    .default(fallback)
    .transform((text) => Number(text.slice(0, -2)) * (text.endsWith('GB') ? 1_024 : 1))
    .refine((size) => size >= least, `at least ${least}MB`);

/** `file:///var/archive` or the path itself. */
const folder = z
  .string()
  .refine((text) => text.startsWith('file://') || !text.includes('://'), 'a folder, as a path or as a file:// URL')
  .transform((text) => (text.startsWith('file://') ? fileURLToPath(text) : resolve(text)));

const BUCKET = /^s3:\/\/(?<bucket>[a-z\d][a-z\d.-]{1,61}[a-z\d])(\/(?<prefix>[\w.\/-]*))?$/;

const archiveUrl = z
  .string()
  .refine(
    (text) => (text.startsWith('s3:') ? BUCKET.test(text) : folder.safeParse(text).success),
    'a folder, as a path or as a file:// URL, or s3://bucket/prefix',
  )
  .transform((text) => {
    const { bucket, prefix = '' } = BUCKET.exec(text)?.groups ?? {};
    return bucket === undefined ? folder.parse(text) : { bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
  });

/** What whoever reads files needs. */
const archiveStoreSettings = () => ({
  /** Where closed hours are kept as files; unset: they are not. No default: another place than the workers' is never meant. */
  ARCHIVE_URL: archiveUrl.optional(),
  /** With a bucket: folder for copies of what is read, what is being written and what DuckDB spills. */
  ARCHIVE_CACHE: folder.optional(),
  /** Most MB of copies; a merge has 256 MB in hand and reads as much back, a question all files of its range. */
  ARCHIVE_CACHE_SIZE: megabytes('10GB', 1_024),
  /** MB that reading, sealing and merging files may take; beyond it they spill. In 160 DuckDB cannot sort 1.2 million visits, in 192 it can. */
  ARCHIVE_MEMORY: megabytes('512MB', 256),
  /** The S3 client's own, as all of AWS_*: where the bucket is when it is not at AWS. The first one decides. */
  AWS_ENDPOINT_URL_S3: z.url().optional(),
  AWS_ENDPOINT_URL: z.url().optional(),
});

const archiveSettings = () => ({
  ...archiveStoreSettings(),
  /** So many milliseconds after its end an hour is sealed even if nobody can tell whether all of it is counted. */
  SEAL_AFTER: duration('6h'),
});

const addresses = {
  KAFKA_BROKERS: list,
  DATABASE_URL: z.url(),
  /** One server, a cluster or sentinels: see parseRedisUrl(). */
  REDIS_URL: redisUrl,
};

/** Pieces every process uses; defaults are those of the local stack. */
export const env = {
  port: (fallback: number) => port.default(fallback),
  positiveInt: (fallback: number) => z.coerce.number().int().positive().default(fallback),
  nonNegativeInt: (fallback: number) => z.coerce.number().int().nonnegative().default(fallback),
  flag: (fallback: boolean) =>
    z
      .enum(['true', 'false', '1', '0'])
      .transform((value) => value === 'true' || value === '1')
      .default(fallback),
  list: () => list.default([]),
  /** CIDRs whose forwarding headers are believed. */
  trustedProxies: () => trustedProxies,
  /** A limit: so many requests at once, and so many a second in the long run. */
  bucket: (fallback: `${number}:${number}`) => bucket.prefault(fallback),
  ops: opsSettings,
  archive: archiveSettings,
  archiveStore: archiveStoreSettings,
  host: () => z.string().default('127.0.0.1'),
  /** What a gateway and an api do when more requests come than they can answer. */
  admission: () => ({
    /** While requests wait longer than so many milliseconds, a part of the new ones is refused with 503; 0: none is. */
    SHED_ABOVE_DELAY_MS: env.nonNegativeInt(0),
    /** Of this process (an api: with a key or a session); the others are refused with 503. 0: no ceiling. */
    MAX_REQUESTS_PER_SECOND: env.nonNegativeInt(0),
  }),
  /** Where clients reach the api and the dashboard, without a slash at the end. */
  publicUrl: () =>
    z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  services: () => ({
    KAFKA_BROKERS: addresses.KAFKA_BROKERS.default(['127.0.0.1:19092']),
    /** TLS to the brokers; a private authority's certificate goes into NODE_EXTRA_CA_CERTS. */
    KAFKA_TLS: env.flag(false),
    ...kafkaClientSettings(),
    DATABASE_URL: addresses.DATABASE_URL.default('postgres://hopcount:hopcount@127.0.0.1:15432/hopcount'),
    REDIS_URL: addresses.REDIS_URL.default('redis://127.0.0.1:16379'),
    LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  }),
  /** The addresses among `services()`, for who refuses to guess them. */
  givenAddresses: () => ({
    KAFKA_BROKERS: addresses.KAFKA_BROKERS.optional(),
    DATABASE_URL: addresses.DATABASE_URL.optional(),
    REDIS_URL: addresses.REDIS_URL.optional(),
  }),
  /** How long a consumer group waits for a member that died, or lost its broker, before its partitions are given out again. */
  sessionTimeoutMs: () => env.positiveInt(10_000),
  /** Most slots a counter may have (a link's heat says how many it has); `off`: totals are counted from the buckets. */
  slots: () => z.union([z.literal('off'), z.coerce.number().int().min(1).max(100)]).default(100),
  /** Visits of a link's open hour from which commits keep that hour's aggregates; 1: those of every link, from the first visit on. */
  aggregateFrom: () => env.positiveInt(5_000),
  /** Days a visit may come late; whole months beyond leave PostgreSQL once the archive holds them. The same on every process. */
  ledgerDays: () => env.positiveInt(45),
  secrets: secretSettings,
  traces: traceSettings,
};
