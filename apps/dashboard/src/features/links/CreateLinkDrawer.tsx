import { Drawer, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ErrorState } from '../../ui/ErrorState.js';
import { FormButtons } from '../../ui/FormButtons.js';
import { useDomains } from '../administration/domains.js';
import { EMPTY_FORM, type NewLinkForm, toNewLink } from './link-form.js';
import { LinkFields } from './LinkFields.js';
import { type ShortUrl, useCreateLink } from './links.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

interface Props {
  /** What was typed into the one field. */
  longUrl: string;
  onCreated: (link: ShortUrl) => void;
  onClose: () => void;
}

/** Everything a link can begin with. @public */
export function CreateLinkDrawer({ longUrl, onCreated, onClose }: Props) {
  useFocusBack();
  const { t } = useTranslation();
  const [form, setForm] = useState<NewLinkForm>({ ...EMPTY_FORM, longUrl });
  const create = useCreateLink();
  const change = (changed: Partial<NewLinkForm>) => setForm((now) => ({ ...now, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(toNewLink(form), { onSuccess: onCreated });
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={t('links.create.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('links.longUrl')}
            value={form.longUrl}
            onChange={({ currentTarget }) => change({ longUrl: currentTarget.value })}
            required
            inputMode="url"
            data-autofocus
          />
          <TextInput
            label={t('links.create.customSlug')}
            description={t('links.create.customSlugHint')}
            value={form.customSlug}
            onChange={({ currentTarget }) => change({ customSlug: currentTarget.value })}
          />
          <DomainField value={form.domain} onChange={(domain) => change({ domain })} />
          <LinkFields form={form} onChange={change} />
          {create.isError && <ErrorState error={create.error} />}
          <FormButtons submit={t('links.create.submit')} isPending={create.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Drawer>
  );
}

/** Nothing to choose where there is one. */
function DomainField({ value, onChange }: { value: string; onChange: (domain: string) => void }) {
  const { t } = useTranslation();
  const domains = useDomains().data?.domains.data ?? [];
  if (domains.length < 2) return null;
  return (
    <NativeSelect
      label={t('domains.domain')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={domains.map(({ domain, isDefault }) => ({ value: isDefault ? '' : domain, label: domain }))}
    />
  );
}
