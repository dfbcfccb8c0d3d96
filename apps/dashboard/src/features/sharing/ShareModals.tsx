import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { SecretModal } from '../administration/SecretModal.js';
import type { Scope } from '../statistics/queries.js';
import { useView } from '../view/use-view.js';
import { useCreateShareLink } from './sharing.js';

const DAYS = [1, 7, 30, 90, 365];
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

interface Props {
  scope: Scope;
  onClose: () => void;
}

/** Asks for what a share link needs, then shows it. @public */
export function ShareModals({ scope, onClose }: Props) {
  const { t } = useTranslation();
  const [link, setLink] = useState<string>();
  if (link === undefined) return <AskModal scope={scope} onLink={setLink} onClose={onClose} />;
  return <SecretModal title={t('sharing.link')} hint={t('sharing.linkHint')} secret={link} onClose={onClose} />;
}

function AskModal({ scope, onLink, onClose }: Props & { onLink: (link: string) => void }) {
  const { t } = useTranslation();
  const { view } = useView();
  const create = useCreateShareLink();
  const submit = (form: FormData) => {
    const expirationDate = new Date(Date.now() + Number(fieldOf(form, 'days')) * DAY_MS).toISOString();
    const body = { name: fieldOf(form, 'name'), ...scope, filters: view.filter ?? [], expirationDate };
    create.mutate(body, { onSuccess: (made) => onLink(made.link) });
  };
  return (
    <FormModal
      title={t('sharing.share')}
      submit={t('sharing.share')}
      state={create}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t('sharing.about')}</Text>
      <TextInput
        name="name"
        label={t('sharing.name')}
        description={t('sharing.nameHint')}
        required
        maxLength={100}
        data-autofocus
      />
      <NativeSelect
        name="days"
        label={t('sharing.ends')}
        defaultValue={String(DEFAULT_DAYS)}
        data={DAYS.map((count) => ({ value: String(count), label: t('sharing.days', { count }) }))}
      />
    </FormModal>
  );
}
