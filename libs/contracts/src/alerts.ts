import { z } from 'zod';

import { HOST_KINDS } from './host-kind.js';

export const ALERT_KINDS = ['rise', 'drop', 'above', 'below'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** The form of a message: JSON, what Slack reads, or an e-mail. */
export const ALERT_CHANNELS = ['webhook', 'slack', 'email'] as const;
export type AlertChannel = (typeof ALERT_CHANNELS)[number];

const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });
const named = z.string().nullable();

const fields = {
  id: z.string().meta({ examples: ['7'] }),
  name: z.string().meta({ examples: ['Sale page is quiet'] }),
  domain: named,
  tag: named,
  group: named,
  shortCode: named,
  host: named,
  hostKind: z.enum(HOST_KINDS).nullable(),
  kind: z.enum(ALERT_KINDS),
  windowMinutes: z.int(),
  threshold: z.int(),
  factor: z.number().nullable().meta({ description: 'null: of `above` and `below`.' }),
  timeZone: z.string().meta({ examples: ['Europe/Berlin'] }),
  channel: z.enum(ALERT_CHANNELS),
  url: z
    .string()
    .nullable()
    .meta({ description: 'null: it sends e-mail.', examples: ['https://hooks.example.com/hopcount'] }),
  email: z
    .string()
    .nullable()
    .meta({ description: 'null: it posts to `url`.', examples: ['ada@example.com'] }),
  enabled: z.boolean(),
  disabledReason: z
    .string()
    .nullable()
    .meta({ description: 'Why posting ended; null when it is enabled, or a user disabled it.' }),
  watched: z.boolean().meta({
    description:
      'False: it is not checked and nothing is posted, because its owner may not see these visits or use this e-mail address any more, the short URL was deleted, or the tag or host is too large.',
  }),
  ongoing: z.boolean().meta({ description: 'The condition was met in the last window or one that overlaps it.' }),
  toldAt: instant.nullable().meta({ description: 'End of the window that was last told.' }),
  checkedUntil: instant.meta({ description: 'End of the last window that was checked.' }),
  deliveredAt: instant.nullable(),
  lastFailure: z.strictObject({ at: instant, reason: z.string() }).nullable(),
  createdBy: z.strictObject({ kind: z.enum(['user', 'api-key']), id: z.int() }),
  createdAt: instant,
};

export const alertSchema = z.strictObject(fields).meta({ id: 'Alert' });

export const newAlertSchema = z
  .strictObject({
    secret: z.string().nullable().meta({
      description:
        'What its events are signed with (Standard Webhooks). It is never shown again. null: e-mail is not signed.',
    }),
    ...fields,
  })
  .meta({ id: 'NewAlert' });

export const alertListSchema = z
  .strictObject({
    alerts: z.strictObject({ data: z.array(alertSchema) }),
    channels: z.array(z.enum(ALERT_CHANNELS)).meta({ description: 'Those that new alerts can have here.' }),
  })
  .meta({ id: 'AlertList' });

export type Alert = z.infer<typeof alertSchema>;
export type NewAlert = z.infer<typeof newAlertSchema>;
export type AlertList = z.infer<typeof alertListSchema>;
