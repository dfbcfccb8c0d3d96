import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { BASE_PATH } from '../../app/base-path.js';
import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { LazyMenu } from '../../ui/RowMenu.js';

/** Links as files, in and out. */
export function ExportMenu() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const canImport = mayWriteEverything(useUser());
  return (
    <LazyMenu
      button={<Button variant="default">{t('imports.menu')}</Button>}
      actions={[
        ...(canImport ? [{ title: t('imports.title'), onClick: () => void navigate({ to: '/import' }) }] : []),
        ...(['csv', 'jsonl'] as const).map((format) => ({
          title: t(`imports.export.${format}`),
          href: `${BASE_PATH}/rest/v3/exports/links?format=${format}`,
        })),
      ]}
    />
  );
}
