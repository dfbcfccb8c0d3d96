import { AUDIT_TOPIC, ORPHAN_TOPIC, VISITS_TOPIC } from '@hopcount/contracts';
import { canonicalAuthority } from '@hopcount/links';
import { env, parseTrustedProxies } from '@hopcount/runtime';
import { z } from 'zod';

const MEBIBYTE = 1_024 * 1_024;

const trustedProxies = env.list().transform((entries, context) => {
  try {
    return parseTrustedProxies(entries);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

export const gatewayConfigSchema = z
  .object({
    HOST: env.host(),
    GATEWAY_PORT: env.port(8080),
    ...env.ops(8180),
    KAFKA_BROKERS: env.kafkaBrokers(),
    /** Another topic than `visits`: for tests on a shared broker. */
    VISITS_TOPIC: z.string().min(1).default(VISITS_TOPIC),
    AUDIT_TOPIC: z.string().min(1).default(AUDIT_TOPIC),
    ORPHAN_TOPIC: z.string().min(1).default(ORPHAN_TOPIC),
    DATABASE_URL: env.databaseUrl(),
    REDIS_URL: env.redisUrl(),
    HOPCOUNT_SECRET: env.secret(),
    /** One folder per machine or container; every process makes its own sub-folder. */
    SPOOL_DIR: z.string().default('.data/spool'),
    /** For what each process life writes; as much again for SPOOL_DIR/rejected. Adopted visits do not count. */
    SPOOL_MAX_BYTES: env.positiveInt(1_024 * MEBIBYTE),
    TRUSTED_PROXIES: trustedProxies,
    VISITOR_IP: z.enum(['anonymised', 'full']).default('anonymised'),
    DEFAULT_DOMAIN: z
      .string()
      .default('localhost:8080')
      .refine((domain) => canonicalAuthority(domain) !== undefined, 'not a host or host:port'),
    /** Longest time since PostgreSQL was asked about a link that answers (unless PostgreSQL is away). */
    LINK_CHECK_MS: env.positiveInt(60_000),
    PUBLIC_SCHEME: z.enum(['http', 'https']).default('http'),
    /** A batch not acknowledged by then goes to the spool and is answered. */
    ACK_TIMEOUT_MS: env.positiveInt(50),
    /** Longest wait of a visit for others to share its Kafka request. */
    BATCH_LINGER_MS: env.nonNegativeInt(3),
    BATCH_MAX_EVENTS: env.positiveInt(200),
    /** When neither Kafka nor the disk takes a visit: 503, or a redirect that is not counted. */
    VISIT_DURABILITY_FAILURE: z.enum(['refuse', 'answer']).default('refuse'),
    /**
     * From SIGTERM to the end of listening; answers close their connections meanwhile. As long as a load
     * balancer takes to see that `/readyz` says 503, and visitors with keep-alive to ask once more.
     */
    DRAIN_MS: env.nonNegativeInt(2_000).refine((ms) => ms <= 5_000, 'more than 5,000: SIGTERM must end within 15 s'),
    /** Requests without a link that are recorded, at most, by this process; 0: none. The rest is only counted in a metric. */
    ORPHAN_VISITS_PER_SECOND: env.nonNegativeInt(200),
    LOG_LEVEL: env.logLevel(),
  })
  .transform((given) => ({
    host: given.HOST,
    port: given.GATEWAY_PORT,
    ops: { host: given.OPS_HOST, port: given.OPS_PORT, name: given.PROCESS_NAME },
    kafka: {
      brokers: given.KAFKA_BROKERS,
      topic: given.VISITS_TOPIC,
      auditTopic: given.AUDIT_TOPIC,
      orphanTopic: given.ORPHAN_TOPIC,
    },
    databaseUrl: given.DATABASE_URL,
    redisUrl: given.REDIS_URL,
    spool: { root: given.SPOOL_DIR, maxBytes: given.SPOOL_MAX_BYTES },
    batch: { ackTimeoutMs: given.ACK_TIMEOUT_MS, lingerMs: given.BATCH_LINGER_MS, maxEvents: given.BATCH_MAX_EVENTS },
    visitors: {
      secret: given.HOPCOUNT_SECRET,
      trustedProxies: given.TRUSTED_PROXIES,
      fullIp: given.VISITOR_IP === 'full',
    },
    defaultDomain: canonicalAuthority(given.DEFAULT_DOMAIN) as string,
    linkCheckMs: given.LINK_CHECK_MS,
    publicScheme: given.PUBLIC_SCHEME,
    onDurabilityFailure: given.VISIT_DURABILITY_FAILURE,
    drainMs: given.DRAIN_MS,
    orphansPerSecond: given.ORPHAN_VISITS_PER_SECOND,
    logLevel: given.LOG_LEVEL,
  }));

export type GatewayConfig = Readonly<z.output<typeof gatewayConfigSchema>>;
