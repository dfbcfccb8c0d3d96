import { answerOf, type components, type operations } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';

export type Alert = components['schemas']['Alert'];
export type NewAlert = operations['createAlert']['requestBody']['content']['application/json'];
export type AlertChange = NonNullable<operations['editAlert']['requestBody']>['content']['application/json'];
export type Channel = Alert['channel'];

/** A worker checks them; what it found is looked at again so often. */
const REFRESH_MS = 15_000;
const SUBJECT = 'alerts';

const addressOf = ({ id }: Alert) => ({ path: { id } });

/** Whoever is signed in sees their own, an owner of everything those of everybody: 500 at most. */
export function useAlerts() {
  return useApi([SUBJECT], (signal) => answerOf(api.GET('/rest/v3/alerts', { signal })), {
    refetchInterval: ({ alerts: { data } }) => (data.length > 0 ? REFRESH_MS : false),
  });
}

export function useCreateAlert() {
  return useChange(SUBJECT, (body: NewAlert) => answerOf(api.POST('/rest/v3/alerts', { body })));
}

export function useEditAlert() {
  return useChange(SUBJECT, ({ alert, body }: { alert: Alert; body: AlertChange }) =>
    answerOf(api.PATCH('/rest/v3/alerts/{id}', { params: addressOf(alert), body })),
  );
}

export function useTestAlert() {
  return useChange(SUBJECT, (alert: Alert) =>
    answerOf(api.POST('/rest/v3/alerts/{id}/test', { params: addressOf(alert) })),
  );
}

export function useDeleteAlert() {
  return useChange(SUBJECT, (alert: Alert) =>
    answerOf(api.DELETE('/rest/v3/alerts/{id}', { params: addressOf(alert) })),
  );
}
