import { useTranslation } from 'react-i18next';

import { EmptyState } from './EmptyState.js';
import { PageHeader } from './PageHeader.js';

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <main>
      <PageHeader title={t('common.notFound.title')} />
      <EmptyState>{t('common.notFound.text')}</EmptyState>
    </main>
  );
}
