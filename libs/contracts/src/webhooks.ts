import { z } from 'zod';

/** What a webhook can be told, as the `type` of what is posted. */
export const WEBHOOK_EVENTS = [
  'link.created',
  'link.edited',
  'link.visits_reached',
  'link.anomaly',
  'host.surged',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });

const fields = {
  id: z.string().meta({ examples: ['7'] }),
  url: z.string().meta({ examples: ['https://hooks.example.com/hopcount'] }),
  description: z.string().meta({ examples: ['newsletter'] }),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  visits: z.array(z.int()).meta({ description: 'With `link.visits_reached`: the numbers that are told, once each.' }),
  enabled: z.boolean(),
  disabledReason: z
    .string()
    .nullable()
    .meta({
      description: 'Why it is disabled; null when it is enabled, or somebody disabled it.',
      examples: ['Nothing could be delivered for a day: the receiver answered 500.'],
    }),
  waiting: z.int().meta({ description: 'Events to be posted; at most 10,000 wait, more are not kept.' }),
  overflowedAt: instant.nullable().meta({ description: 'When as many waited as can; events may be missing since.' }),
  deliveredAt: instant.nullable().meta({ description: 'When the receiver last took an event.' }),
  failingSince: instant.nullable().meta({ description: 'Since when nothing was taken; null when the last one was.' }),
  lastFailure: z
    .strictObject({ at: instant, reason: z.string().meta({ examples: ['The receiver answered 500.'] }) })
    .nullable(),
  createdAt: instant,
};

export const webhookSchema = z.strictObject(fields).meta({ id: 'Webhook' });

export const newWebhookSchema = z
  .strictObject({
    secret: z.string().meta({
      description: 'What its events are signed with (Standard Webhooks). It is never shown again.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
    ...fields,
  })
  .meta({ id: 'NewWebhook' });

export const webhookListSchema = z
  .strictObject({ webhooks: z.strictObject({ data: z.array(webhookSchema) }) })
  .meta({ id: 'WebhookList' });

export const webhookTestSchema = z
  .strictObject({ eventId: z.string().meta({ description: 'The `webhook-id` of what is posted.' }) })
  .meta({ id: 'WebhookTest' });

const WEBHOOK_DELIVERY_STATES = ['waiting', 'retrying', 'delivered', 'given-up'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

export const webhookDeliveryListSchema = z
  .strictObject({
    deliveries: z.strictObject({
      data: z.array(
        z
          .strictObject({
            eventId: z.string().meta({ description: 'The `webhook-id` of what is posted.' }),
            type: z.string().meta({ examples: ['link.created', 'webhook.test'] }),
            state: z.enum(WEBHOOK_DELIVERY_STATES).meta({
              description:
                '`waiting`: for its first attempt, or to be posted again; `retrying`: after a failure; `given-up`: nobody took it for a day.',
            }),
            attempts: z.int(),
            answer: z
              .string()
              .nullable()
              .meta({ description: 'To the last attempt.', examples: ['The receiver answered 500.'] }),
            attemptedAt: instant.nullable(),
            nextAttemptAt: instant
              .nullable()
              .meta({ description: 'null: it is not posted again, or not while the webhook is disabled.' }),
          })
          .meta({ id: 'WebhookDelivery' }),
      ),
    }),
  })
  .meta({ id: 'WebhookDeliveryList' });

export type WebhookDeliveryList = z.infer<typeof webhookDeliveryListSchema>;
export type Webhook = z.infer<typeof webhookSchema>;
export type NewWebhook = z.infer<typeof newWebhookSchema>;
export type WebhookList = z.infer<typeof webhookListSchema>;
export type WebhookTest = z.infer<typeof webhookTestSchema>;
