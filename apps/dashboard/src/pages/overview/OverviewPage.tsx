import { useTranslation } from 'react-i18next';

import { ShareButton } from '../../features/sharing/ShareButton.js';
import { StatisticsPanels } from '../../features/statistics/Panels.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { PageHeader } from '../../ui/PageHeader.js';

/** @public */
export function OverviewPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('common.navigation.overview')}>
        <ShareButton />
      </PageHeader>
      <ViewBar />
      <StatisticsPanels />
    </>
  );
}
