import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { type NewKey, SCOPES, useCreateApiKey } from './api-keys.js';

interface Props {
  onCreated: (secret: string) => void;
  onClose: () => void;
}

export function CreateApiKeyModal({ onCreated, onClose }: Props) {
  const { t } = useTranslation();
  const create = useCreateApiKey();
  const submit = (form: FormData) => create.mutate(toNewKey(form), { onSuccess: ({ apiKey }) => onCreated(apiKey) });
  return (
    <FormModal
      title={t('apiKeys.create')}
      submit={t('apiKeys.create')}
      state={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput name="name" label={t('apiKeys.name')} required maxLength={100} data-autofocus />
      <Checkbox.Group label={t('apiKeys.scopes')} defaultValue={['links:read']}>
        <Stack gap="xs" mt={4}>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              name="scope"
              value={scope}
              label={t(`apiKeys.scope.${scope.replace(':', '-') as Dashed}`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        name="expirationDate"
        type="datetime-local"
        label={t('apiKeys.expires')}
        description={t('apiKeys.noExpiry')}
      />
      <TextInput name="domain" label={t('apiKeys.domain')} description={t('apiKeys.anyDomain')} inputMode="url" />
      <Checkbox name="authoredOnly" label={t('apiKeys.authoredOnly')} />
      <Checkbox name="noOrphanVisits" label={t('apiKeys.noOrphanVisits')} />
    </FormModal>
  );
}

/** Names of texts hold no colon: it would name a file of texts. */
type Dashed = 'links-read' | 'links-write' | 'statistics-read' | 'visits-purge' | 'hosts-write' | 'admin';

function toNewKey(form: FormData): NewKey {
  const [expirationDate, domain] = [fieldOf(form, 'expirationDate'), fieldOf(form, 'domain')];
  return {
    name: fieldOf(form, 'name'),
    scopes: SCOPES.filter((scope) => form.getAll('scope').includes(scope)),
    ...(expirationDate !== '' && { expirationDate: new Date(expirationDate).toISOString() }),
    ...(domain !== '' && { domain }),
    ...(form.has('authoredOnly') && { authoredOnly: true }),
    ...(form.has('noOrphanVisits') && { noOrphanVisits: true }),
  };
}
