import { PasswordInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

interface Props {
  name: string;
  label: string;
  /** Chosen now, and not the one that there is. */
  isNew?: boolean;
}

export function PasswordField({ name, label, isNew = false }: Props) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      name={name}
      label={label}
      description={isNew && t('session.invite.length', { length: MIN_LENGTH })}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      {...(isNew && { minLength: MIN_LENGTH })}
      maxLength={MAX_LENGTH}
      required
      data-autofocus={!isNew}
      visibilityToggleButtonProps={{ 'aria-label': t('session.showPassword') }}
    />
  );
}
