import { notifications } from '@mantine/notifications';
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { FormModal } from '../../ui/FormModal.js';
import { useRedrive } from './system.js';

export function RedriveModal({ places, onClose }: { places: string[]; onClose: () => void }) {
  const { t } = useTranslation();
  const redrive = useRedrive();
  const count = places.length;
  const submit = () =>
    redrive.mutate(places, {
      onSuccess: ({ sent, refusedAgain }) => {
        onClose();
        notifications.show({ message: t('system.letters.sent', { count: sent, refused: refusedAgain }) });
      },
    });
  return (
    <FormModal
      title={t('system.letters.redriveTitle', { count })}
      submit={t('system.letters.redrive')}
      state={redrive}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t('system.letters.redriveHint')}</Text>
    </FormModal>
  );
}
