import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function CodeField({ description }: { description: string }) {
  const { t } = useTranslation();
  return (
    <TextInput
      name="code"
      label={t('session.code')}
      description={description}
      autoComplete="one-time-code"
      required
      maxLength={64}
    />
  );
}
