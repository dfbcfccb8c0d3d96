import { ALERT_CHANNELS, ALERT_KINDS, alertSchema, HOST_KINDS } from '@hopcount/contracts';
import { z } from 'zod';

import { isStorable } from '../http/input.js';
import { sentBack, takenOf } from '../http/sent-back.js';

const MAX_VISITS = 1_000_000_000_000;
const USUAL_FACTOR = 3;

const scope = z.string().trim().min(1).max(2_048).refine(isStorable, 'broken characters').nullish();
const name = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u, '1 to 100 visible characters')
  .meta({ description: 'The message begins with this name.', example: 'Sale page is quiet' });
const windowMinutes = z.int().min(15).max(10_080).multipleOf(15).meta({
  description: 'How many minutes are counted: a multiple of 15, up to 10080 (seven days).',
  example: 60,
});
const threshold = z.int().min(1).max(MAX_VISITS).meta({
  description:
    'Number of visits. `above`: the condition is met by this many visits or more. `below`: by fewer (1: no visits). `rise`: windows with fewer visits are ignored. `drop`: windows with fewer typical visits are ignored.',
  example: 50,
});
const factor = z
  .number()
  .min(1.1)
  .max(1_000)
  .nullish()
  .meta({
    description: `Only for \`rise\` and \`drop\`. 3 means three times the typical visits (\`rise\`), or a third of them (\`drop\`). Default: ${USUAL_FACTOR}.`,
    example: 3,
  });
const timeZone = z.string().max(100).optional().meta({
  description: 'Time zone that decides what "the same time yesterday" is. Default: the reporting time zone.',
  example: 'Europe/Berlin',
});
const url = z.string().max(4_096).nullish().meta({
  description:
    'Where messages are posted (http or https). Not for the channel `email`. Private addresses are refused; redirects are not followed.',
  example: 'https://hooks.example.com/hopcount',
});

const email = z.string().max(254).nullish().meta({
  description: 'Only for the channel `email`: the address that mail goes to. Default: the address of your account.',
  example: 'ada@example.com',
});

const newAlert = {
  name,
  domain: scope.meta({
    description: 'Watch the short URLs of this domain. With `shortCode`: the domain of that short URL.',
  }),
  tag: scope.meta({ description: 'Watch the short URLs with this tag.' }),
  group: scope.meta({ description: 'Watch the short URLs of this group.' }),
  shortCode: scope.meta({ description: 'Watch this short URL.' }),
  host: scope.meta({
    description:
      'Watch this host and its subdomains. Without `domain`, `tag`, `group`, `shortCode` or `host`, all short URLs are watched.',
  }),
  hostKind: z.enum(HOST_KINDS).nullish().meta({ description: 'Kind of `host`. Default: `target`.' }),
  kind: z.enum(ALERT_KINDS),
  windowMinutes,
  threshold,
  factor,
  timeZone,
  channel: z.enum(ALERT_CHANNELS).default('webhook').meta({
    description:
      '`webhook`: signed JSON. `slack`: `url` is an incoming webhook of Slack. `email`: plain text; needs a mail server that the operator has set.',
  }),
  url,
  email,
};

export const createAlertRequest = z
  .strictObject({ ...sentBack(alertSchema, newAlert), ...newAlert })
  .transform((given, context) => {
    const taken = takenOf(given, newAlert, { enabled: true });
    const isCompared = taken.kind === 'rise' || taken.kind === 'drop';
    if (!isCompared && (taken.factor ?? null) !== null)
      context.addIssue({ code: 'custom', path: ['factor'], message: 'only for rise and drop' });
    return { ...taken, factor: isCompared ? (taken.factor ?? USUAL_FACTOR) : null };
  });

export const alertEdits = {
  name: name.optional(),
  windowMinutes: windowMinutes.optional(),
  threshold: threshold.optional(),
  factor,
  timeZone,
  url,
  email,
  enabled: z.boolean().optional(),
};
export const editAlertRequest = z.strictObject({ ...sentBack(alertSchema, alertEdits), ...alertEdits });
