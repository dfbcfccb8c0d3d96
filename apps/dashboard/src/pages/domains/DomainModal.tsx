import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Domain } from '../../features/administration/domains.js';
import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { REDIRECTS, type Redirects, useRedirectDomain } from './domains.js';

interface Props {
  /** Undefined: a new one. */
  domain: Domain | undefined;
  /** Where this domain has none of its own. */
  defaults: Redirects;
  onClose: () => void;
}

export function DomainModal({ domain, defaults, onClose }: Props) {
  const { t } = useTranslation();
  const redirect = useRedirectDomain();
  const submit = (form: FormData) => {
    const redirects = Object.fromEntries(REDIRECTS.map((name) => [name, fieldOf(form, name) || null]));
    redirect.mutate({ domain: domain?.domain ?? fieldOf(form, 'domain'), ...redirects }, { onSuccess: onClose });
  };
  return (
    <FormModal
      title={domain?.domain ?? t('domains.add')}
      submit={t('common.save')}
      state={redirect}
      onSubmit={submit}
      onClose={onClose}
    >
      {domain === undefined && (
        <TextInput name="domain" label={t('domains.domain')} placeholder="go.example.com" required data-autofocus />
      )}
      {REDIRECTS.map((name) => (
        <TextInput
          key={name}
          name={name}
          label={t(`domains.${name}`)}
          defaultValue={domain?.redirects[name] ?? ''}
          placeholder={defaults[name] ?? t('domains.notFound')}
          inputMode="url"
        />
      ))}
    </FormModal>
  );
}
