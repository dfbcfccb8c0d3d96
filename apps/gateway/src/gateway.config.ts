import { topicNames } from '@hopcount/contracts';
import { defaultDomain, gatewayLimits, notFoundSettings, targetSchemes } from '@hopcount/links';
import { geoDatabases } from '@hopcount/links/visitors';
import { type Config, env } from '@hopcount/runtime';
import { z } from 'zod';

const MEBIBYTE = 1_024 * 1_024;

export const gatewayConfigSchema = z.object({
  HOST: env.host(),
  GATEWAY_PORT: env.port(8080),
  ...env.ops(8180),
  ...topicNames,
  ...env.services(),
  ...env.secrets(),
  ...env.traces(),
  /** One folder per machine or container; every process makes its own sub-folder. */
  SPOOL_DIR: z.string().default('.data/spool'),
  /** For what each process life writes; as much again for SPOOL_DIR/rejected. Adopted visits do not count. */
  SPOOL_MAX_BYTES: env.positiveInt(1_024 * MEBIBYTE),
  TRUSTED_PROXIES: env.trustedProxies(),
  VISITOR_IP: z.enum(['anonymised', 'full']).default('anonymised'),
  DEFAULT_DOMAIN: defaultDomain,
  /** Where visitors go who found nothing on a domain that says nothing else of it; as of the api, which shows them. */
  ...notFoundSettings,
  /** For redirect rules about countries and cities. */
  GEO_DATABASES: geoDatabases,
  /** Longest time since PostgreSQL was asked about a link that answers (unless PostgreSQL is away). */
  LINK_CHECK_MS: env.positiveInt(60_000),
  /** As of the api: a code without a link stands for the only one that differs in the case of A to Z. */
  LOOSE_CODES: env.flag(false),
  /** As Shlink's: `/code/` is `/code`. Links that append an extra path to their target keep the slash. */
  SHORT_URL_TRAILING_SLASH: env.flag(false),
  /** As of the api: links to other schemes are 404. */
  TARGET_SCHEMES: targetSchemes,
  PUBLIC_SCHEME: z.enum(['http', 'https']).default('http'),
  /** A batch not acknowledged by then goes to the spool and is answered. */
  ACK_TIMEOUT_MS: env.positiveInt(50),
  BATCH_MAX_EVENTS: env.positiveInt(200),
  /** When neither Kafka nor the disk takes a visit: 503, or a redirect that is not counted. */
  VISIT_DURABILITY_FAILURE: z.enum(['refuse', 'answer']).default('refuse'),
  /**
   * From SIGTERM to the end of listening; answers close their connections meanwhile. As long as a load
   * balancer takes to see that `/readyz` says 503, and visitors with keep-alive to ask once more.
   */
  DRAIN_MS: env.nonNegativeInt(2_000).refine((ms) => ms <= 5_000, 'more than 5,000: SIGTERM must end within 15 s'),
  /** Followed in PostgreSQL while it runs. */
  ...gatewayLimits,
  /**
   * How long CDNs may answer permanent redirects (301, 308) by themselves; those visits are never seen and never counted. 0: not at all.
   * Such answers set no cookie.
   */
  CDN_CACHE_SECONDS: z.coerce.number().int().min(0).max(86_400).default(0),
  /** Visits of a client (IPv6: /64) to a link in a minute at this process: those above are bots, and count. 0: none is one for that. */
  CLICK_FLOOD_PER_MINUTE: env.nonNegativeInt(600),
  /** Requests without a link that are recorded, at most, by this process; 0: none. The rest is only counted in a metric. */
  ORPHAN_VISITS_PER_SECOND: env.nonNegativeInt(200),
  ...env.admission(),
});

export type GatewayConfig = Config<typeof gatewayConfigSchema>;
