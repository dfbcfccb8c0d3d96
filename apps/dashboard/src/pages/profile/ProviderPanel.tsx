import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { HAS_PROVIDER } from '../../app/has-provider.js';
import { useUser } from '../../features/session/session.js';
import { Panel } from '../../ui/Panel.js';

/** Whether an account of the organisation opens this one; nothing where there is no such way in. */
export function ProviderPanel() {
  const { t } = useTranslation();
  const { hasProvider } = useUser();
  if (!HAS_PROVIDER && !hasProvider) return null;
  return (
    <Panel title={t('profile.provider.title')}>
      <Text size="sm">{t(hasProvider ? 'profile.provider.bound' : 'profile.provider.unbound')}</Text>
    </Panel>
  );
}
