import { Body, Controller, Param, Res } from '@nestjs/common';
import {
  type NewWebhook,
  newWebhookSchema,
  type Webhook,
  type WebhookDeliveryList,
  webhookDeliveryListSchema,
  type WebhookList,
  webhookListSchema,
  webhookSchema,
  type WebhookTest,
  webhookTestSchema,
} from '@hopcount/contracts';
import { type WebhookRecord, WebhookStore } from '@hopcount/links';
import { AppError } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { expectUnchanged } from '../http/sent-back.js';
import { createWebhookRequest, editWebhookRequest, webhookEdits } from './webhooks.requests.js';

/** What deliveries change. */
const COUNTED = ['waiting', 'overflowedAt', 'deliveredAt', 'failingSince', 'lastFailure'];
const EVENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Who is told of short URLs. A worker posts the events. */
@Controller()
export class WebhooksController {
  constructor(private readonly webhooks: WebhookStore) {}

  @Operation('GET /rest/v3/webhooks', {
    id: 'listWebhooks',
    scope: 'admin',
    summary: 'List webhooks',
    description: 'All of them (50 at most), and how they go.',
    tag: 'Webhooks',
    answer: webhookListSchema,
  })
  async list(): Promise<WebhookList> {
    return { webhooks: { data: (await this.webhooks.list()).map(toWebhook) } };
  }

  @Operation('POST /rest/v3/webhooks', {
    id: 'createWebhook',
    scope: 'admin',
    summary: 'Create a webhook',
    description:
      'Events are signed by the Standard Webhooks specification with the `secret` of the answer, which is shown this once. Each is ' +
      'posted until it is answered with a 2xx status, under the same `webhook-id`: after a failure again, with longer and longer ' +
      'pauses. A webhook that takes nothing for a day, or answers 410, is disabled. Events may come twice, and in any order. ' +
      '`link.anomaly` is told of a short URL with far more visits by people in a closed quarter of an hour than usual: 50 or more, 4 times ' +
      'the mean and twice the busiest quarter of a usual day of the last seven; once in 24 hours, not in the first day of a short URL. Its ' +
      '`data` has `windowStart`, `windowSeconds`, `visits` in that window, `usualVisits` (mean of a window), `usualBusiestWindow`, `factor` ' +
      '(`visits` / `usualVisits`, null without any) and `comparedDays`. `host.surged` is told of surges as they are listed, when one begins ' +
      'and each time it has doubled; its `data` has `what`, `windowStart` and `windowSeconds` beside what the list has.',
    tag: 'Webhooks',
    body: createWebhookRequest,
    answer: newWebhookSchema,
    problems: ['unsafe-target', 'too-many-webhooks', 'read-only-field'],
  })
  async create(
    @Body() given: z.output<typeof createWebhookRequest>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewWebhook> {
    const { webhook, secret } = await this.webhooks.create(given);
    void reply.header('cache-control', 'no-store');
    return { secret, ...toWebhook(webhook) };
  }

  @Operation('PATCH /rest/v3/webhooks/:id', {
    id: 'editWebhook',
    scope: 'admin',
    summary: 'Edit, disable or enable a webhook',
    description: 'What is absent stays. While it is disabled no events are kept for it.',
    tag: 'Webhooks',
    body: editWebhookRequest,
    answer: webhookSchema,
    problems: ['webhook-not-found', 'unsafe-target', 'read-only-field'],
  })
  async edit(@Param('id') id: string, @Body() change: z.output<typeof editWebhookRequest>): Promise<Webhook> {
    const webhook = await this.webhooks.get(parseId(id));
    expectUnchanged(change, toWebhook(webhook), { taken: webhookEdits, counted: COUNTED });
    return toWebhook(await this.webhooks.edit(webhook.id, change));
  }

  @Operation('DELETE /rest/v3/webhooks/:id', {
    id: 'deleteWebhook',
    scope: 'admin',
    summary: 'Delete a webhook',
    description: 'What waits for it is not posted any more.',
    tag: 'Webhooks',
    answer: null,
    problems: ['webhook-not-found'],
  })
  async remove(@Param('id') id: string): Promise<void> {
    await this.webhooks.remove(parseId(id));
  }

  @Operation('POST /rest/v3/webhooks/:id/test', {
    id: 'testWebhook',
    scope: 'admin',
    summary: 'Post a test event to a webhook',
    description: 'Its type is `webhook.test`. It waits its turn as any other; list the webhooks to see how it went.',
    tag: 'Webhooks',
    answer: webhookTestSchema,
    problems: ['webhook-not-found'],
  })
  async test(@Param('id') id: string): Promise<WebhookTest> {
    return { eventId: await this.webhooks.test(parseId(id), new Date()) };
  }

  @Operation('GET /rest/v3/webhooks/:id/deliveries', {
    id: 'listWebhookDeliveries',
    scope: 'admin',
    summary: 'List the last deliveries of a webhook',
    description:
      'The next 20 of the events that wait for their first attempt, and the newest 100 that were posted, the last first: how that went, ' +
      'and when they are posted again.',
    tag: 'Webhooks',
    answer: webhookDeliveryListSchema,
    problems: ['webhook-not-found'],
  })
  async deliveries(@Param('id') id: string): Promise<WebhookDeliveryList> {
    const data = (await this.webhooks.deliveries(parseId(id))).map(({ attemptedAt, nextAttemptAt, ...delivery }) => ({
      ...delivery,
      attemptedAt: attemptedAt && formatDate(attemptedAt),
      nextAttemptAt: nextAttemptAt && formatDate(nextAttemptAt),
    }));
    return { deliveries: { data } };
  }

  @Operation('POST /rest/v3/webhooks/:id/deliveries/:eventId/resend', {
    id: 'resendWebhookEvent',
    scope: 'admin',
    summary: 'Post an event to a webhook again',
    description:
      'One that was posted before, under the same `webhook-id`, whether or not it was taken. It waits its turn; that of a webhook ' +
      'that fails comes when its pause ends.',
    tag: 'Webhooks',
    answer: null,
    problems: ['webhook-not-found', 'webhook-delivery-not-found'],
  })
  async resend(@Param('id') id: string, @Param('eventId') eventId: string): Promise<void> {
    if (!EVENT_ID.test(eventId)) throw new AppError('webhook-delivery-not-found', 'It is no id of an event.');
    await this.webhooks.resend(parseId(id), eventId);
  }
}

function toWebhook({ failedAt, failure, ...webhook }: WebhookRecord): Webhook {
  const { id, createdAt, deliveredAt, failingSince, overflowedAt } = webhook;
  return {
    ...webhook,
    id: String(id),
    createdAt: formatDate(createdAt),
    deliveredAt: deliveredAt && formatDate(deliveredAt),
    failingSince: failingSince && formatDate(failingSince),
    overflowedAt: overflowedAt && formatDate(overflowedAt),
    lastFailure: failedAt && { at: formatDate(failedAt), reason: failure ?? '' },
  };
}

/** @throws AppError `webhook-not-found` */
function parseId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError('webhook-not-found', `There is no webhook "${text.slice(0, 32)}".`);
}
