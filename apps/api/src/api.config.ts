import { env } from '@hopcount/runtime';
import { canonicalAuthority } from '@hopcount/links';
import { z } from 'zod';

const timeZone = z.string().refine(isTimeZone, 'not an IANA time zone');

export const apiConfigSchema = z
  .object({
    HOST: env.host(),
    API_PORT: env.port(8081),
    ...env.ops(8181),
    DATABASE_URL: env.databaseUrl(),
    REDIS_URL: env.redisUrl(),
    KAFKA_BROKERS: env.kafkaBrokers(),
    HOPCOUNT_SECRET: env.secret(),
    /** Authority visitors reach short links at; part of every `shortUrl`. */
    DEFAULT_DOMAIN: z
      .string()
      .default('localhost:8080')
      .refine((domain) => canonicalAuthority(domain) !== undefined, 'not a host or host:port'),
    PUBLIC_SCHEME: z.enum(['http', 'https']).default('http'),
    CODE_STRATEGY: z.enum(['random', 'snowflake']).default('random'),
    /** Lets links lead into private networks; for intranets and local trials. */
    ALLOW_PRIVATE_TARGETS: env.flag(false),
    REPORTING_TIME_ZONE: timeZone.default('UTC'),
    /** `off`: all-time totals are counted in the ledger instead of read from the slots. */
    SLOTS: env.slots(),
    /** Origins whose pages may call the API; `*` is any. */
    CORS_ORIGINS: env.list().transform((origins) => (origins.length === 0 ? ['*'] : origins)),
    LOG_LEVEL: env.logLevel(),
  })
  .transform((given) => ({
    host: given.HOST,
    port: given.API_PORT,
    ops: { host: given.OPS_HOST, port: given.OPS_PORT, name: given.PROCESS_NAME },
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    kafkaBrokers: given.KAFKA_BROKERS,
    secret: given.HOPCOUNT_SECRET,
    defaultDomain: canonicalAuthority(given.DEFAULT_DOMAIN) as string,
    publicScheme: given.PUBLIC_SCHEME,
    codeStrategy: given.CODE_STRATEGY,
    allowPrivateTargets: given.ALLOW_PRIVATE_TARGETS,
    reportingTimeZone: given.REPORTING_TIME_ZONE,
    slots: given.SLOTS,
    corsOrigins: given.CORS_ORIGINS,
    logLevel: given.LOG_LEVEL,
  }));

export type ApiConfig = Readonly<z.output<typeof apiConfigSchema>>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
