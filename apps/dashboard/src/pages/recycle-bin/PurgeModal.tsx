import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { FormModal } from '../../ui/FormModal.js';
import { useFormat } from '../../ui/use-format.js';
import { type DeletedLink, usePurge } from './deleted-links.js';

/** Nothing brings it back: whoever wants it types the code. */
export function PurgeModal({ link, onClose }: { link: DeletedLink; onClose: () => void }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const purge = usePurge();
  const [typed, setTyped] = useState('');
  const { shortCode, shortUrl, visitsSummary } = link;
  return (
    <FormModal
      title={t('recycleBin.purgeTitle', { link: shortUrl })}
      submit={t('recycleBin.purge')}
      isDangerous
      isDisabled={typed.trim() !== shortCode}
      state={purge}
      onSubmit={() => purge.mutate(link, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">
        {t('recycleBin.purgeHint', { count: visitsSummary.total, number: count(visitsSummary.total) })}
      </Text>
      <TextInput
        label={t('recycleBin.typeCode', { code: shortCode })}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        autoComplete="off"
        required
        data-autofocus
      />
    </FormModal>
  );
}
