import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { lazyDropdown } from '../../ui/lazy-dropdown.js';

const SavedViewsMenu = lazyDropdown(() => import('./SavedViewsMenu.js'), 'SavedViewsMenu', 'menu');

/** Names for what the table shows: the address says it, this browser keeps the names. */
export function SavedViews() {
  const { t } = useTranslation();
  return <SavedViewsMenu button={<Button variant="default">{t('links.views.title')}</Button>} />;
}
