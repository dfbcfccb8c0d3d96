import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { formText } from '../../features/session/form-text.js';
import { FormModal } from '../../ui/FormModal.js';
import { Panel } from '../../ui/Panel.js';
import { PasswordField } from './PasswordField.js';
import { useChangePassword } from './profile.js';

export function PasswordPanel() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel
      title={t('session.password')}
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
          {t('profile.password.change')}
        </Button>
      }
    >
      <Text size="sm">{t('profile.password.about')}</Text>
      {isOpen && <PasswordModal onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function PasswordModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const change = useChangePassword();
  const submit = (form: FormData) =>
    change.mutate(
      { password: formText(form, 'password'), newPassword: formText(form, 'newPassword') },
      {
        onSuccess: () => {
          onClose();
          notifications.show({ message: t('profile.password.changed') });
        },
      },
    );
  return (
    <FormModal
      title={t('profile.password.change')}
      submit={t('profile.password.change')}
      state={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <PasswordField name="password" label={t('profile.password.now')} />
      <PasswordField name="newPassword" label={t('profile.password.new')} isNew />
    </FormModal>
  );
}
