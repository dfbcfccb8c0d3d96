import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { lazyDropdown } from '../../ui/lazy-dropdown.js';

const SavedViewsList = lazyDropdown(() => import('./SavedViewsList.js'), 'SavedViewsList', 'dialog');

/** Ranges, zones and filters somebody comes back to; of this user in this browser. */
export function SavedViews() {
  const { t } = useTranslation();
  return (
    <SavedViewsList
      button={
        <Button size="xs" variant="default">
          {t('view.saved')}
        </Button>
      }
    />
  );
}
