import { topicNames } from '@hopcount/contracts';
import { type Config, env } from '@hopcount/runtime';
import { apiLimits, defaultDomain, notFoundSettings, targetSchemes } from '@hopcount/links';
import { z } from 'zod';

import { checkProviderSettings, providerSettings } from './session/provider.settings.js';

const timeZone = z.string().refine(isTimeZone, 'not an IANA time zone');

const settings = z.object({
  HOST: env.host(),
  API_PORT: env.port(8081),
  ...env.ops(8181),
  /** Priority, 0 to 19: 0 is that of all others, who go first otherwise where the processor is short. */
  API_NICE: z.coerce.number().int().min(0).max(19).default(10),
  ...env.services(),
  /** A standby of DATABASE_URL, which statistics are read from; where it is away they are read from the primary. */
  DATABASE_READ_URL: z.url().optional(),
  /** As the consumers have them. */
  ...topicNames,
  LEDGER_DAYS: env.ledgerDays(),
  ...env.secrets(),
  /** Authority visitors reach short links at; part of every `shortUrl`. */
  DEFAULT_DOMAIN: defaultDomain,
  /** As of the gateways, which follow them; here they are only shown. */
  ...notFoundSettings,
  /** Where clients reach this API, such as https://api.example.com; unset: as the request was made. */
  API_PUBLIC_URL: env.publicUrl(),
  /** As the workers have it, which send mail: without it no alert by e-mail can be created. */
  SMTP_FROM: z.string().optional(),
  PUBLIC_SCHEME: z.enum(['http', 'https']).default('http'),
  CODE_STRATEGY: z.enum(['random', 'snowflake']).default('random'),
  /** Codes without regard to the case of A to Z; the gateways' as well. Run `LOOSE_CODES=true hopcount doctor` before. */
  LOOSE_CODES: env.flag(false),
  /** Lets links lead into private networks; for intranets and local trials. */
  ALLOW_PRIVATE_TARGETS: env.flag(false),
  /** Schemes of the addresses links may lead to. */
  TARGET_SCHEMES: targetSchemes,
  /** Links without a title get that of the page they lead to; the workers', which ask for it, has to be on, too. */
  AUTO_RESOLVE_TITLES: env.flag(false),
  REPORTING_TIME_ZONE: timeZone.default('UTC'),
  /** `off`: all-time totals are counted in the ledger instead of read from the slots. */
  SLOTS: env.slots(),
  /** As the workers have them; ARCHIVE_CACHE is this machine's. Without ARCHIVE_URL only the ledger answers. */
  ...env.archiveStore(),
  /** As the gateways have it: only `full` addresses can be asked for. */
  VISITOR_IP: z.enum(['anonymised', 'full']).default('anonymised'),
  /** Reverse proxies whose X-Forwarded-For is believed: by address only wrong API keys are limited. */
  TRUSTED_PROXIES: env.trustedProxies(),
  ...env.admission(),
  /** Followed in PostgreSQL while it runs. */
  ...apiLimits,
  /** Of each API key in a day (UTC): lines it feeds, a batch 100 beside its own, and hosts among them that nobody had met. */
  HOST_COUNTS_PER_DAY: env.positiveInt(10_000_000),
  NEW_HOSTS_PER_DAY: env.positiveInt(100_000),
  /** Totals of hosts are answered from memory while there are no more names than these (of all kinds, about 150 bytes each); 0: never. */
  HOST_MEMORY_NAMES: z.coerce.number().int().min(0).max(4_000_000).default(1_000_000),
  ...providerSettings,
  /** Origins whose pages may call the API; `*` is any. */
  CORS_ORIGINS: env.list().transform((origins) => (origins.length === 0 ? ['*'] : origins)),
});

export const apiConfigSchema = settings.superRefine(checkProviderSettings);

export type ApiConfig = Config<typeof apiConfigSchema>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // Intl throws for a name that is no zone.
    return false;
  }
}
