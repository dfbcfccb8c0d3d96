import { topicNames } from '@hopcount/contracts';
import { targetSchemes } from '@hopcount/links';
import { type Config, env } from '@hopcount/runtime';
import { parseTimeZone } from '@hopcount/statistics';
import { z } from 'zod';

import { checkMailSettings, mailSettings } from './alerts/mail.settings.js';
import { hostPeersSettings } from './peers/host-peers.settings.js';

/** The worker's settings, from the environment. */
const settings = z.object({
  ...env.services(),
  ...env.ops(8183),
  ...topicNames,
  ...hostPeersSettings,
  SESSION_TIMEOUT_MS: env.sessionTimeoutMs(),
  SLOTS: env.slots(),
  AGGREGATE_FROM: env.aggregateFrom(),
  REPORTING_TIME_ZONE: z.string().transform(parseTimeZone).default('UTC'),
  TOTALS_INTERVAL_MS: env.positiveInt(1_000),
  HEAT_INTERVAL_MS: env.positiveInt(5_000),
  RECONCILE_INTERVAL_MS: env.positiveInt(5_000),
  /** A use of a link with a limit whose gateway ended is given back so much later, at the earliest. */
  ENDED_USE_SECONDS: env.nonNegativeInt(900),
  LEDGER_DAYS: env.ledgerDays(),
  /** Rows of the audit log go after so many, or when so many newer ones are there. */
  AUDIT_DAYS: env.positiveInt(400),
  AUDIT_ROWS: env.positiveInt(5_000_000),
  ORPHAN_RETENTION_DAYS: env.positiveInt(90),
  ORPHAN_VISITS_KEPT: env.positiveInt(1_000_000),
  /** Files of older months go once the ledger has dropped them; unset: never. */
  ARCHIVE_DAYS: z.coerce.number().int().positive().optional(),
  SEAL_INTERVAL_MS: env.positiveInt(300_000),
  /** Between two looks at all closed hours; recent ones are looked at each time. */
  SEAL_SWEEP_INTERVAL_MS: env.positiveInt(43_200_000),
  ...env.archive(),
  /** Keeps a Bloom filter of codes and long URLs in Redis; the last worker that is told not to ends its use. */
  LINK_FILTER: env.flag(true),
  /** Asks the pages that new links lead to for their titles. */
  AUTO_RESOLVE_TITLES: env.flag(false),
  ALLOW_PRIVATE_TARGETS: env.flag(false),
  /** Of imported links; as the api has them. */
  LOOSE_CODES: env.flag(false),
  TARGET_SCHEMES: targetSchemes,
  /** Of the dashboard, for links in e-mail; unset: there are none. */
  API_PUBLIC_URL: env.publicUrl(),
  ...mailSettings,
});

export const workerConfigSchema = settings.superRefine(checkMailSettings);

export type WorkerConfig = Config<typeof workerConfigSchema>;
