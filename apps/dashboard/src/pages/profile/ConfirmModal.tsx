import { Center, Code, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { fieldOf, FormModal } from '../../ui/FormModal.js';
import { CodeField } from './CodeField.js';
import { type SecondFactor, useConfirmSecondFactor } from './profile.js';

const QR_PX = 240;

interface Props {
  factor: SecondFactor;
  onConfirmed: (recoveryCodes: string[]) => void;
  onClose: () => void;
}

/** The secret as a picture and as text: whoever cannot scan it types it. */
export function ConfirmModal({ factor: { secret, qrCode }, onConfirmed, onClose }: Props) {
  const { t } = useTranslation();
  const confirm = useConfirmSecondFactor();
  const submit = (form: FormData) =>
    confirm.mutate(
      { code: fieldOf(form, 'code').replaceAll(/\s/g, '') },
      { onSuccess: ({ recoveryCodes }) => onConfirmed(recoveryCodes) },
    );
  return (
    <FormModal
      title={t('profile.factor.setUp')}
      submit={t('profile.factor.confirm')}
      state={confirm}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t('profile.factor.scan')}</Text>
      <Center>
        <img src={qrCode} alt={t('profile.factor.qr')} width={QR_PX} height={QR_PX} />
      </Center>
      <Code block className="foreign" aria-label={t('profile.factor.secret')} tabIndex={0}>
        {secret.match(/.{1,4}/g)?.join(' ')}
      </Code>
      <CodeField description={t('profile.factor.codeHint')} />
    </FormModal>
  );
}
