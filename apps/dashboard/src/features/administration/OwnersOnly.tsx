import { Outlet } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '../../ui/EmptyState.js';
import { mayAdminister } from '../session/roles.js';
import { useUser } from '../session/session.js';

/** Around the pages of owners; the api refuses everybody else in any case. */
export function OwnersOnly() {
  const { t } = useTranslation();
  return mayAdminister(useUser()) ? <Outlet /> : <EmptyState>{t('common.error.forbidden')}</EmptyState>;
}
