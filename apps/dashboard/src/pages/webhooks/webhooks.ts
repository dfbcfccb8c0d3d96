import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type Webhook = components['schemas']['Webhook'];
export type WebhookDelivery = components['schemas']['WebhookDeliveryList']['deliveries']['data'][number];
export type WebhookEvent = Webhook['events'][number];
export type NewWebhook = operations['createWebhook']['requestBody']['content']['application/json'];
type WebhookChange = NonNullable<operations['editWebhook']['requestBody']>['content']['application/json'];

export const EVENTS = [
  'link.created',
  'link.edited',
  'link.visits_reached',
  'link.anomaly',
  'host.surged',
] as const satisfies readonly WebhookEvent[];
/** How what waits goes is looked at again so often. */
const WAITING_MS = 5_000;
const SUBJECT = 'webhooks';

const addressOf = ({ id }: Webhook) => ({ path: { id } });

/** All of them: there are 50 at most. */
export function useWebhooks() {
  const ask = (signal: AbortSignal) => answerOf(api.GET('/rest/v3/webhooks', { signal }));
  return useApi([SUBJECT], ask, {
    refetchInterval: ({ webhooks: { data } }) => (data.some(isPosted) ? WAITING_MS : false),
  });
}

/** The newest of those that were posted, and the next ones. */
export function useDeliveries(id: string) {
  const ask = (signal: AbortSignal) =>
    answerOf(api.GET('/rest/v3/webhooks/{id}/deliveries', { params: { path: { id } }, signal }));
  return useApi([SUBJECT, 'deliveries', id], ask, {
    refetchInterval: ({ deliveries: { data } }) =>
      data.some(({ nextAttemptAt }) => nextAttemptAt !== null) ? WAITING_MS : false,
  });
}

export function useResend(id: string) {
  return useChange(SUBJECT, (eventId: string) =>
    answerOf(api.POST('/rest/v3/webhooks/{id}/deliveries/{eventId}/resend', { params: { path: { id, eventId } } })),
  );
}

function isPosted({ enabled, waiting }: Webhook): boolean {
  return enabled && waiting > 0;
}

export function useCreateWebhook() {
  return useChange(SUBJECT, (body: NewWebhook) => answerOf(api.POST('/rest/v3/webhooks', { body })));
}

export function useEditWebhook() {
  return useChange(SUBJECT, ({ webhook, body }: { webhook: Webhook; body: WebhookChange }) =>
    answerOf(api.PATCH('/rest/v3/webhooks/{id}', { params: addressOf(webhook), body })),
  );
}

export function useTestWebhook() {
  return useChange(SUBJECT, (webhook: Webhook) =>
    answerOf(api.POST('/rest/v3/webhooks/{id}/test', { params: addressOf(webhook) })),
  );
}

export function useDeleteWebhook() {
  return useChange(SUBJECT, (webhook: Webhook) =>
    answerOf(api.DELETE('/rest/v3/webhooks/{id}', { params: addressOf(webhook) })),
  );
}
