import { Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { BASE_PATH } from '../../app/base-path.js';
import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';

/** Links as files, in and out. */
export function ExportMenu() {
  const { t } = useTranslation();
  const canImport = mayWriteEverything(useUser());
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">{t('imports.menu')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {canImport && (
          <Menu.Item component={Link} to="/import">
            {t('imports.title')}
          </Menu.Item>
        )}
        {(['csv', 'jsonl'] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={`${BASE_PATH}/rest/v3/exports/links?format=${format}`}
            download={`links.${format}`}
          >
            {t(`imports.export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
