import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { fieldOf } from '../../ui/FormModal.js';
import { EVENTS, type NewWebhook, type Webhook } from './webhooks.js';

/** Names of texts hold no dot: it would name a group of texts. */
export const EVENT_TEXTS = {
  'link.created': 'created',
  'link.edited': 'edited',
  'link.visits_reached': 'visitsReached',
  'link.anomaly': 'anomaly',
  'host.surged': 'hostSurged',
} as const;

/** Where events are posted to and which; of an existing one what it has. */
export function WebhookFields({ webhook }: { webhook?: Webhook }) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        name="url"
        type="url"
        label={t('webhooks.url')}
        description={t('webhooks.urlHint')}
        defaultValue={webhook?.url}
        required
        data-autofocus
      />
      <TextInput
        name="description"
        label={t('webhooks.description')}
        defaultValue={webhook?.description}
        maxLength={200}
      />
      <Checkbox.Group label={t('webhooks.events')} defaultValue={webhook?.events ?? ['link.created', 'link.edited']}>
        <Stack gap="xs" mt={4}>
          {EVENTS.map((event) => (
            <Checkbox
              key={event}
              name="event"
              value={event}
              label={`${t(`webhooks.event.${EVENT_TEXTS[event]}`)} (${event})`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        name="visits"
        label={t('webhooks.visits')}
        description={t('webhooks.visitsHint')}
        defaultValue={webhook?.visits.join(', ')}
        inputMode="numeric"
        pattern="[0-9,\s]*"
      />
    </>
  );
}

export function webhookOf(form: FormData): NewWebhook {
  const numbers = fieldOf(form, 'visits').match(/\d+/g) ?? [];
  return {
    url: fieldOf(form, 'url'),
    description: fieldOf(form, 'description'),
    events: EVENTS.filter((event) => form.getAll('event').includes(event)),
    visits: numbers.map(Number),
  };
}
