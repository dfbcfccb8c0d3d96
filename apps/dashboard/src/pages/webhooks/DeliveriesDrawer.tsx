import { Badge, Button, Drawer, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { useRemark } from '../../features/administration/use-remark.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { useFormat } from '../../ui/use-format.js';
import { EVENT_TEXTS } from './WebhookFields.js';
import { EVENTS, useDeliveries, useResend, type Webhook, type WebhookDelivery } from './webhooks.js';

/** Of the webhook that the address names: how its last posts went, and what comes next. */
export function DeliveriesDrawer({ webhooks }: { webhooks: readonly Webhook[] }) {
  const { t } = useTranslation();
  const { deliveries: id }: Record<string, unknown> = useSearch({ strict: false });
  const changeSearch = useChangeSearch();
  const webhook = webhooks.find((one) => one.id === id);
  if (webhook === undefined) return null;
  return (
    <Drawer
      opened
      onClose={() => changeSearch({ deliveries: undefined })}
      position="right"
      size="xl"
      title={t('webhooks.deliveries.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Text size="sm" className="foreign" fw={500} mb="xs">
        {webhook.url}
      </Text>
      <Deliveries key={webhook.id} webhook={webhook} />
    </Drawer>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const columns = useColumns(webhook);
  return (
    <Answer query={useDeliveries(webhook.id)} height={300}>
      {({ deliveries: { data } }) =>
        data.length === 0 ? (
          <EmptyState>{t('webhooks.deliveries.none')}</EmptyState>
        ) : (
          <>
            <DataTable
              label={t('webhooks.deliveries.title')}
              columns={columns}
              rows={data}
              keyOf={({ eventId }) => eventId}
            />
            <Text size="xs" c="dimmed" mt="sm">
              {t('webhooks.deliveries.kept')}
            </Text>
          </>
        )
      }
    </Answer>
  );
}

function useColumns(webhook: Webhook): Column<WebhookDelivery>[] {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  return [
    { key: 'event', title: t('webhooks.deliveries.event'), cell: (delivery) => <EventCell delivery={delivery} /> },
    { key: 'state', title: t('webhooks.state.title'), cell: (delivery) => <StateCell delivery={delivery} /> },
    {
      ...{ key: 'attempts', title: t('webhooks.deliveries.attempts'), isNumeric: true, isExtra: true },
      cell: ({ attempts }) => count(attempts),
    },
    {
      ...{ key: 'next', title: t('webhooks.deliveries.next'), isExtra: true },
      cell: ({ nextAttemptAt }) => instant(nextAttemptAt),
    },
    ...(webhook.enabled
      ? [
          {
            key: 'resend',
            title: '',
            cell: (one: WebhookDelivery) => <ResendButton webhook={webhook} delivery={one} />,
          },
        ]
      : []),
  ];
}

function EventCell({ delivery: { type, eventId, attemptedAt } }: { delivery: WebhookDelivery }) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const event = EVENTS.find((one) => one === type);
  return (
    <>
      <Text size="sm">{event === undefined ? type : t(`webhooks.event.${EVENT_TEXTS[event]}`)}</Text>
      <Text size="xs" c="dimmed" title={eventId}>
        {attemptedAt === null ? t('webhooks.deliveries.untried') : instant(attemptedAt)}
      </Text>
    </>
  );
}

const STATES = {
  waiting: { text: 'waiting', color: 'gray' },
  retrying: { text: 'retrying', color: 'orange' },
  delivered: { text: 'delivered', color: 'green' },
  'given-up': { text: 'givenUp', color: 'red' },
} as const;

/** What the receiver answered stands as the api says it. */
function StateCell({ delivery: { state, answer } }: { delivery: WebhookDelivery }) {
  const { t } = useTranslation();
  const { text, color } = STATES[state];
  return (
    <>
      <Badge variant="dot" color={color}>
        {t(`webhooks.deliveries.states.${text}`)}
      </Badge>
      {answer !== null && (
        <Text size="xs" c="dimmed" className="foreign">
          {answer}
        </Text>
      )}
    </>
  );
}

function ResendButton({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { t } = useTranslation();
  const onError = useRemark();
  const resend = useResend(webhook.id);
  // What was never tried comes anyway.
  if (delivery.attemptedAt === null) return null;
  const onSuccess = () => void notifications.show({ message: t('webhooks.deliveries.resent') });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={resend.isPending}
      onClick={() => resend.mutate(delivery.eventId, { onSuccess, onError })}
    >
      {t('webhooks.deliveries.resend')}
    </Button>
  );
}
