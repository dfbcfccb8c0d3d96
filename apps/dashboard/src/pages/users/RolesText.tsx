import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Roles } from './users.js';

export function RolesText({ roles: { role, groups } }: { roles: Roles }) {
  const { t } = useTranslation();
  const ofGroups = Object.entries(groups).map(([group, one]) => `${group}: ${t(`users.roles.${one}`)}`);
  return (
    <>
      <Text size="sm">{t(`users.roles.${role ?? 'none'}`)}</Text>
      {ofGroups.length > 0 && (
        <Text size="xs" c="dimmed" className="foreign">
          {ofGroups.join(' · ')}
        </Text>
      )}
    </>
  );
}
