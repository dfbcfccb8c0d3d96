import { Anchor, Paper } from '@mantine/core';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { ExplainDrawer } from '../../features/evidence/ExplainDrawer.js';
import { CurveTable } from '../../features/statistics/CurveTable.js';
import { type Scope, useSeries } from '../../features/statistics/queries.js';
import { StatisticMenu } from '../../features/statistics/StatisticMenu.js';
import { type StatisticName, STATISTICS } from '../../features/statistics/statistic-names.js';
import { useView } from '../../features/view/use-view.js';
import { intervalOf } from '../../features/view/view.js';
import { ViewBar } from '../../features/view/ViewBar.js';
import { Answer } from '../../ui/Answer.js';
import { NotFoundPage } from '../../ui/NotFoundPage.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { LinksTable } from './LinksTable.js';
import { ValuesTable } from './ValuesTable.js';

/** All that a panel shows the first of. @public */
export function StatisticPage() {
  const { name: given } = useParams({ from: '/signed-in/statistics/$name' });
  const name = STATISTICS.find((one) => one === given);
  return name === undefined ? <NotFoundPage /> : <Statistic name={name} />;
}

function Statistic({ name }: { name: StatisticName }) {
  const { t } = useTranslation();
  const { code, domain } = useSearch({ from: '/signed-in/statistics/$name' });
  const scope: Scope = { ...(code !== undefined && { shortCode: code }), ...(domain !== undefined && { domain }) };
  const title =
    name === 'links'
      ? t('statistics.topLinks')
      : name === 'series'
        ? t('statistics.curve')
        : t(`statistics.dimension.${name}`);
  return (
    <>
      <PageHeader title={title} subtitle={<ScopeLink code={code} domain={domain} />}>
        <StatisticMenu name={name} title={title} scope={scope} hasTable={false} />
      </PageHeader>
      <ViewBar />
      <Paper withBorder p="xs">
        {name === 'links' ? (
          <LinksTable title={title} />
        ) : name === 'series' ? (
          <SeriesTable scope={scope} />
        ) : (
          <ValuesTable key={name} name={name} title={title} scope={scope} />
        )}
      </Paper>
      <ExplainDrawer scope={scope} />
    </>
  );
}

function ScopeLink({ code, domain }: { code: string | undefined; domain: string | undefined }) {
  const { t } = useTranslation();
  return code === undefined ? (
    <Anchor component={Link} to="/" inherit>
      {t('common.navigation.overview')}
    </Anchor>
  ) : (
    <Link to="/links/$code" params={{ code }} search={domain === undefined ? {} : { domain }}>
      <bdi>{[domain ?? '', code].join('/')}</bdi>
    </Link>
  );
}

function SeriesTable({ scope }: { scope: Scope }) {
  const { question, view } = useView();
  const query = useSeries({ ...scope, ...question }, intervalOf(view), undefined);
  return (
    <Answer query={query} height={480}>
      {(answer) => <CurveTable answer={answer} />}
    </Answer>
  );
}
