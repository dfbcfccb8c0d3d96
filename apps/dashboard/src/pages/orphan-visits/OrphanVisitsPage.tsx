import { useTranslation } from 'react-i18next';

import { AnswerMarks } from '../../features/statistics/AnswerMarks.js';
import { OrphanPanel } from '../../features/statistics/OrphanPanel.js';
import { withoutFilters } from '../../features/view/view.js';
import { useView } from '../../features/view/use-view.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { Answer } from '../../ui/Answer.js';
import { DataTable } from '../../ui/DataTable.js';
import { NoRows } from '../../ui/NoRows.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Pages, usePage } from '../../ui/Pages.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import classes from './orphan-visits.module.css';
import { useOrphanTotals, useOrphanVisits } from './orphan-visits.js';

/** Who asked for what is no link. @public */
export function OrphanVisitsPage() {
  const { t } = useTranslation();
  const { count } = useFormat();
  // They are listed by dates alone: all of the page is without filters.
  const question = withoutFilters(useView().question);
  return (
    <>
      <PageHeader title={t('orphans.title')} subtitle={t('orphans.about')} />
      <ViewBar />
      <Answer query={useOrphanTotals(question)} height={500}>
        {(answer) => (
          <>
            <p data-total="orphans">
              {t('orphans.count', { count: answer.totals.visits, number: count(answer.totals.visits) })}
            </p>
            <OrphanPanel question={question} />
            <div className={classes.list}>
              <OrphanList range={answer} zone={answer.timeZone} />
            </div>
            <AnswerMarks state={answer} />
          </>
        )}
      </Answer>
    </>
  );
}

function OrphanList({ range, zone }: { range: { startDate: string; endDate: string }; zone: string }) {
  const { t } = useTranslation();
  const { instant } = useFormat(zone);
  const query = useOrphanVisits(range, usePage());
  return (
    <Panel title={t('orphans.list')}>
      <Answer query={query} height={400}>
        {({ visits: { data, pagination } }) =>
          data.length === 0 ? (
            <NoRows query={query} pagination={pagination}>
              {t('orphans.none')}
            </NoRows>
          ) : (
            <>
              <DataTable
                label={t('orphans.list')}
                rows={data}
                keyOf={({ eventId }) => eventId}
                columns={[
                  { key: 'date', title: t('orphans.when'), cell: ({ date }) => instant(date) },
                  {
                    ...{ key: 'url', title: t('orphans.url') },
                    cell: ({ visitedUrl }) => <span className="foreign">{visitedUrl}</span>,
                  },
                  { key: 'type', title: t('orphans.type'), cell: ({ type }) => t(`orphans.types.${type}`) },
                  {
                    ...{ key: 'referer', title: t('statistics.dimension.referrerUrl'), isExtra: true },
                    cell: ({ referer }) => <span className="foreign">{referer}</span>,
                  },
                  {
                    ...{ key: 'agent', title: t('evidence.userAgent'), isExtra: true },
                    cell: ({ userAgent }) => <span className="foreign">{userAgent}</span>,
                  },
                ]}
              />
              <Pages pagination={pagination} />
            </>
          )
        }
      </Answer>
    </Panel>
  );
}
