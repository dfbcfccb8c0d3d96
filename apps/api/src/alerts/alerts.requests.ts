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
  .meta({ description: 'What the message begins with.', example: 'Sale page is quiet' });
const windowMinutes = z.int().min(15).max(10_080).multipleOf(15).meta({
  description: 'A multiple of 15, up to 10080 (seven days). Visits are summed by quarters of an hour.',
  example: 60,
});
const threshold = z.int().min(1).max(MAX_VISITS).meta({
  description:
    'Visits. `above`: as many or more; `below`: fewer (1: no visits); `rise`: the fewest visits in the window that matter; `drop`: the fewest typical visits that matter.',
  example: 50,
});
const factor = z
  .number()
  .min(1.1)
  .max(1_000)
  .nullish()
  .meta({
    description: `Of \`rise\` and \`drop\`: how many times the typical number of visits, or what part of it. Default: ${USUAL_FACTOR}.`,
    example: 3,
  });
const timeZone = z.string().max(100).optional().meta({
  description: 'Whose clock earlier windows are found by. Default: the reporting time zone.',
  example: 'Europe/Berlin',
});
const url = z.string().max(4_096).nullish().meta({
  description:
    'Where messages are posted, over http or https. Private addresses are refused and redirects are not followed. Not of `email`.',
  example: 'https://hooks.example.com/hopcount',
});

const email = z.string().max(254).nullish().meta({
  description: 'Of `email`: where mail goes. Default: the address of your account.',
  example: 'ada@example.com',
});

const newAlert = {
  name,
  domain: scope.meta({ description: 'Watches visits of the short URLs of a domain; beside `shortCode`: its domain.' }),
  tag: scope.meta({ description: 'Of those that have the tag.' }),
  group: scope.meta({ description: 'Of a group.' }),
  shortCode: scope.meta({ description: 'Of one short URL.' }),
  host: scope.meta({ description: 'Of a host and all names below it. Without any of these: of all short URLs.' }),
  hostKind: z.enum(HOST_KINDS).nullish().meta({ description: 'Of what host. Default: `target`.' }),
  kind: z.enum(ALERT_KINDS),
  windowMinutes,
  threshold,
  factor,
  timeZone,
  channel: z.enum(ALERT_CHANNELS).default('webhook').meta({
    description:
      '`webhook`: JSON, signed; `slack`: the URL is an incoming webhook of Slack; `email`: plain text, where the operator has set a mail server.',
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
      context.addIssue({ code: 'custom', path: ['factor'], message: 'only of rise and drop' });
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
