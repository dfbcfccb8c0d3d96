import { Paper } from '@mantine/core';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { toExplainQuestion } from '../../features/evidence/explained.js';
import { VisitsPages } from '../../features/evidence/VisitsPages.js';
import { useView } from '../../features/view/use-view.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { PageHeader } from '../../ui/PageHeader.js';

/** Every visit of a link in the range, with what is kept of it. @public */
export function LinkVisitsPage() {
  const { t } = useTranslation();
  const { code } = useParams({ from: '/signed-in/links/$code/visits' });
  const { domain } = useSearch({ from: '/signed-in/links/$code/visits' });
  const { question } = useView();
  const search = domain === undefined ? {} : { domain };
  const asked = toExplainQuestion({ filters: [] }, { shortCode: code, ...search }, question);
  return (
    <>
      <PageHeader
        title={t('evidence.list')}
        subtitle={
          <Link to="/links/$code" params={{ code }} search={search}>
            <bdi>{[domain ?? '', code].join('/')}</bdi>
          </Link>
        }
      />
      <ViewBar />
      <Paper withBorder p="md">
        <VisitsPages asked={asked} hasLink={false} />
      </Paper>
    </>
  );
}
