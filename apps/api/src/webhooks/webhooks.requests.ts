import { WEBHOOK_EVENTS, webhookSchema } from '@hopcount/contracts';
import { z } from 'zod';

import { creationOf, sentBack } from '../http/sent-back.js';

const MAX_NUMBERS = 20;
const MAX_VISITS = 1_000_000_000_000;

const url = z.string().max(4_096).meta({
  description: 'Where events are posted to, over http or https; neither a private address nor a redirect is followed.',
  example: 'https://hooks.example.com/hopcount',
});
const events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1)
  .max(20)
  .meta({ description: 'What is told.', example: ['link.created', 'link.visits_reached'] });
const visits = z
  .array(z.int().min(1).max(MAX_VISITS))
  .max(MAX_NUMBERS)
  .meta({
    description: 'With `link.visits_reached`: the numbers of visits of any short URL that are told, once each.',
    example: [1_000, 100_000],
  });
const description = z.string().max(1_024).meta({ description: 'At most 200 characters.', example: 'newsletter' });

const newWebhook = { url, events, visits: visits.default([]), description: description.default('') };
export const createWebhookRequest = creationOf(webhookSchema, newWebhook, { enabled: true });

export const webhookEdits = {
  url: url.optional(),
  events: events.optional(),
  visits: visits.optional(),
  description: description.optional(),
  enabled: z.boolean().optional().meta({
    description: 'One that is enabled again begins anew: what waits is posted at once, unless it is older than 3 days.',
  }),
};
export const editWebhookRequest = z.strictObject({ ...sentBack(webhookSchema, webhookEdits), ...webhookEdits });
