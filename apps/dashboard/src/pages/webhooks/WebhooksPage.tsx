import { Badge, Button, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SecretModal } from '../../features/administration/SecretModal.js';
import { Answer } from '../../ui/Answer.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { FormModal } from '../../ui/FormModal.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { useFormat } from '../../ui/use-format.js';
import { DeliveriesDrawer } from './DeliveriesDrawer.js';
import { EVENT_TEXTS, WebhookFields, webhookOf } from './WebhookFields.js';
import { WebhookMenu } from './WebhookMenu.js';
import { useCreateWebhook, useWebhooks, type Webhook } from './webhooks.js';

/** @public */
export function WebhooksPage() {
  const { t } = useTranslation();
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const columns = useColumns();
  return (
    <>
      <PageHeader title={t('webhooks.title')} subtitle={t('webhooks.about')}>
        <Button onClick={() => setCreating(true)}>{t('webhooks.create')}</Button>
      </PageHeader>
      <Paper withBorder>
        <Answer query={useWebhooks()}>
          {({ webhooks: { data } }) =>
            data.length === 0 ? (
              <EmptyState>{t('webhooks.none')}</EmptyState>
            ) : (
              <>
                <DataTable label={t('webhooks.title')} columns={columns} rows={data} keyOf={({ id }) => id} />
                <DeliveriesDrawer webhooks={data} />
              </>
            )
          }
        </Answer>
      </Paper>
      {isCreating && (
        <CreateModal
          onClose={() => setCreating(false)}
          onCreated={(made) => {
            setCreating(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== undefined && (
        <SecretModal
          title={t('webhooks.secret.title')}
          hint={t('webhooks.secret.hint')}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function CreateModal({ onCreated, onClose }: { onCreated: (secret: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const create = useCreateWebhook();
  return (
    <FormModal
      title={t('webhooks.create')}
      submit={t('webhooks.create')}
      state={create}
      onSubmit={(form) => create.mutate(webhookOf(form), { onSuccess: (made) => onCreated(made.secret) })}
      onClose={onClose}
    >
      <WebhookFields />
    </FormModal>
  );
}

function useColumns(): Column<Webhook>[] {
  const { t } = useTranslation();
  const { count, instant } = useFormat();
  return [
    { key: 'url', title: t('webhooks.url'), cell: (webhook) => <AddressCell webhook={webhook} /> },
    { key: 'events', title: t('webhooks.events'), isExtra: true, cell: (webhook) => <EventsCell webhook={webhook} /> },
    { key: 'state', title: t('webhooks.state.title'), cell: (webhook) => <StateCell webhook={webhook} /> },
    { key: 'waiting', title: t('webhooks.waiting'), isNumeric: true, isExtra: true, cell: (one) => count(one.waiting) },
    {
      key: 'delivered',
      title: t('webhooks.delivered'),
      isExtra: true,
      cell: ({ deliveredAt }) => (deliveredAt === null ? t('webhooks.never') : instant(deliveredAt)),
    },
    { key: 'menu', title: '', cell: (webhook) => <WebhookMenu webhook={webhook} /> },
  ];
}

function AddressCell({ webhook: { url, description } }: { webhook: Webhook }) {
  return (
    <>
      <Text size="sm" className="foreign" fw={500}>
        {url}
      </Text>
      {description !== '' && (
        <Text size="xs" c="dimmed" className="foreign">
          {description}
        </Text>
      )}
    </>
  );
}

function EventsCell({ webhook: { events, visits } }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const textOf = (event: Webhook['events'][number]) => {
    const text = t(`webhooks.event.${EVENT_TEXTS[event]}`);
    return event === 'link.visits_reached' ? `${text}: ${visits.map((number) => count(number)).join(', ')}` : text;
  };
  return events.map((event) => (
    <Text key={event} size="sm">
      {textOf(event)}
    </Text>
  ));
}

/** How it goes; where it does not, why, as the api says it. */
function StateCell({
  webhook: { enabled, disabledReason, failingSince, lastFailure, overflowedAt },
}: {
  webhook: Webhook;
}) {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const state = enabled ? (failingSince === null ? 'enabled' : 'failing') : 'disabled';
  return (
    <>
      <Badge variant="dot" color={{ enabled: 'green', failing: 'orange', disabled: 'gray' }[state]}>
        {t(`webhooks.state.${state}`)}
      </Badge>
      {disabledReason !== null && <Remark text={disabledReason} />}
      {state === 'failing' && <Remark text={t('webhooks.since', { time: instant(failingSince) })} />}
      {state === 'failing' && lastFailure !== null && <Remark text={lastFailure.reason} />}
      {overflowedAt !== null && <Remark text={t('webhooks.overflowed', { time: instant(overflowedAt) })} />}
    </>
  );
}

function Remark({ text }: { text: string }) {
  return (
    <Text size="xs" c="dimmed" className="foreign" maw="20rem">
      {text}
    </Text>
  );
}
