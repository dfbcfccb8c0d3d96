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
  factor: z.number().nullable().meta({ description: 'null for `above` and `below`.' }),
  timeZone: z.string().meta({ examples: ['Europe/Berlin'] }),
  channel: z.enum(ALERT_CHANNELS),
  url: z
    .string()
    .nullable()
    .meta({ description: 'null: the alert sends e-mail.', examples: ['https://hooks.example.com/hopcount'] }),
  email: z
    .string()
    .nullable()
    .meta({ description: 'null: the alert posts to `url`.', examples: ['ada@example.com'] }),
  enabled: z.boolean(),
  disabledReason: z
    .string()
    .nullable()
    .meta({ description: 'Why the alert was disabled automatically. null: it is enabled, or a user disabled it.' }),
  watched: z.boolean().meta({
    description:
      'false: the alert is not checked and sends nothing, because its creator may no longer see these visits or use this e-mail address, the short URL was deleted, or the tag or host is too large.',
  }),
  ongoing: z
    .boolean()
    .meta({ description: 'Whether the condition was met in the last window or in one that overlaps it.' }),
  toldAt: instant.nullable().meta({ description: 'End of the window of the last message.' }),
  checkedUntil: instant.meta({ description: 'End of the last window that was checked.' }),
  deliveredAt: instant.nullable(),
  lastFailure: z.strictObject({ at: instant, reason: z.string() }).nullable(),
  createdBy: z
    .strictObject({ kind: z.enum(['user', 'api-key']), id: z.int(), name: z.string() })
    .meta({ description: '`name`: the e-mail address of the user, or the name of the API key.' }),
  allowedEmail: z
    .string()
    .nullable()
    .meta({
      description:
        'The only address to which this alert may send e-mail: that of the account that created it. null: any.',
      examples: ['ada@example.com'],
    }),
  createdAt: instant,
};

export const alertSchema = z.strictObject(fields).meta({ id: 'Alert' });

export const newAlertSchema = z
  .strictObject({
    secret: z.string().nullable().meta({
      description:
        'Messages are signed with it (Standard Webhooks). It is not shown again. null: e-mail is not signed.',
    }),
    ...fields,
  })
  .meta({ id: 'NewAlert' });

export const alertListSchema = z
  .strictObject({
    alerts: z.strictObject({ data: z.array(alertSchema) }),
    channels: z
      .array(z.enum(ALERT_CHANNELS))
      .meta({ description: 'Channels that new alerts can have on this installation.' }),
  })
  .meta({ id: 'AlertList' });

export type Alert = z.infer<typeof alertSchema>;
export type NewAlert = z.infer<typeof newAlertSchema>;
export type AlertList = z.infer<typeof alertListSchema>;
