import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SecretModal } from '../../features/administration/SecretModal.js';
import { formText } from '../../features/session/form-text.js';
import { useUser } from '../../features/session/session.js';
import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { Panel } from '../../ui/Panel.js';
import { CodeField } from './CodeField.js';
import { ConfirmModal } from './ConfirmModal.js';
import { PasswordField } from './PasswordField.js';
import { type SecondFactor, useBeginSecondFactor, useRemoveSecondFactor } from './profile.js';

type Step =
  { is: 'password' } | { is: 'confirm'; factor: SecondFactor } | { is: 'codes'; codes: string[] } | { is: 'remove' };

/** From a password to a secret for the app, to a code of it, to the recovery codes. */
export function SecondFactorPanel() {
  const { t } = useTranslation();
  const { secondFactor } = useUser();
  const [step, go] = useState<Step>();
  const close = () => go(undefined);
  return (
    <Panel
      title={t('profile.factor.title')}
      actions={
        <Button size="compact-sm" variant="default" onClick={() => go({ is: secondFactor ? 'remove' : 'password' })}>
          {t(secondFactor ? 'profile.factor.remove' : 'profile.factor.setUp')}
        </Button>
      }
    >
      <Text size="sm">{t(secondFactor ? 'profile.factor.on' : 'profile.factor.off')}</Text>
      {step?.is === 'password' && <BeginModal onBegun={(factor) => go({ is: 'confirm', factor })} onClose={close} />}
      {step?.is === 'confirm' && (
        <ConfirmModal factor={step.factor} onConfirmed={(codes) => go({ is: 'codes', codes })} onClose={close} />
      )}
      {step?.is === 'codes' && (
        <SecretModal
          title={t('profile.factor.codes')}
          hint={t('profile.factor.codesHint')}
          secret={step.codes.join('\n')}
          onClose={close}
        />
      )}
      {step?.is === 'remove' && <RemoveModal onClose={close} />}
    </Panel>
  );
}

function BeginModal({ onBegun, onClose }: { onBegun: (factor: SecondFactor) => void; onClose: () => void }) {
  const { t } = useTranslation();
  const begin = useBeginSecondFactor();
  return (
    <FormModal
      title={t('profile.factor.setUp')}
      submit={t('profile.factor.next')}
      state={begin}
      onSubmit={(form) => begin.mutate({ password: formText(form, 'password') }, { onSuccess: onBegun })}
      onClose={onClose}
    >
      <PasswordField name="password" label={t('session.password')} />
    </FormModal>
  );
}

function RemoveModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const remove = useRemoveSecondFactor();
  const submit = (form: FormData) =>
    remove.mutate(
      { password: formText(form, 'password'), code: fieldOf(form, 'code').replaceAll(/\s/g, '') },
      { onSuccess: onClose },
    );
  return (
    <FormModal
      title={t('profile.factor.remove')}
      submit={t('profile.factor.remove')}
      isDangerous
      state={remove}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t('profile.factor.removeHint')}</Text>
      <PasswordField name="password" label={t('session.password')} />
      <CodeField description={t('session.codeHint')} />
    </FormModal>
  );
}
