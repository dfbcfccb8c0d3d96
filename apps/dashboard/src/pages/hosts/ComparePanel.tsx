import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { toPoints } from '../../features/statistics/curve.js';
import { useView } from '../../features/view/use-view.js';
import { intervalOf, withoutFilters } from '../../features/view/view.js';
import { Answer } from '../../ui/Answer.js';
import { Chart } from '../../ui/chart/Chart.js';
import { LineKey } from '../../ui/chart/LineKey.js';
import { DataTable } from '../../ui/DataTable.js';
import { formatPoint } from '../../ui/format.js';
import { Icon } from '../../ui/icons.js';
import { Panel } from '../../ui/Panel.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { useFormat } from '../../ui/use-format.js';
import { type HostComparison, useComparison } from './hosts.js';
import classes from './hosts.module.css';
import type { Kind } from './hosts-search.js';

interface Props {
  kind: Kind;
  hosts: readonly string[];
}

const HEIGHT = 360;

/** Hosts side by side, each with all below it, over the range. */
export function ComparePanel(props: Props) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  return (
    <div className={classes.part}>
      <Panel
        title={t('hosts.comparison')}
        actions={
          <Button size="xs" variant="default" onClick={() => changeSearch({ hosts: undefined })}>
            {t('hosts.compareNone')}
          </Button>
        }
      >
        <Compared {...props} />
      </Panel>
    </div>
  );
}

function Compared({ kind, hosts }: Props) {
  const { question, view } = useView();
  const asked = { ...withoutFilters(question), interval: intervalOf(view) };
  return (
    <Answer query={useComparison(kind, hosts, asked)} height={HEIGHT}>
      {(answer) => (
        <>
          <Curves answer={answer} />
          <Numbers answer={answer} hosts={hosts} />
        </>
      )}
    </Answer>
  );
}

function Curves({ answer: { hosts, interval, timeZone, endDate } }: { answer: HostComparison }) {
  const { t } = useTranslation();
  const { language } = useFormat();
  const starts = hosts[0]?.series ?? [];
  return (
    <Chart
      label={t('hosts.comparison')}
      x={starts.map(({ start }) => formatPoint(start, interval, { language, zone: timeZone }))}
      lines={hosts.map(({ host, series }) => ({
        ...{ name: host, style: 'one-of-many' as const },
        values: toPoints(series, endDate, Date.now()).map(({ visits }) => visits),
      }))}
    />
  );
}

function Numbers({ answer, hosts }: { answer: HostComparison; hosts: readonly string[] }) {
  const { t } = useTranslation();
  const { count, share } = useFormat();
  const changeSearch = useChangeSearch();
  const without = (host: string) => hosts.filter((one) => one !== host);
  const isNumeric = true;
  return (
    <DataTable
      label={t('hosts.comparison')}
      rows={answer.hosts}
      keyOf={({ host }) => host}
      columns={[
        {
          ...{ key: 'host', title: t('hosts.host') },
          cell: ({ host }) => (
            <span className="foreign">
              <LineKey style="one-of-many" nth={answer.hosts.findIndex((one) => one.host === host)} /> {host}
            </span>
          ),
        },
        { key: 'range', title: t('hosts.inRange'), isNumeric, cell: ({ totals }) => count(totals.visits) },
        {
          ...{ key: 'people', title: t('statistics.class.human'), isNumeric, isExtra: true },
          cell: ({ totals }) => share(totals.byClass.human, totals.visits),
        },
        { key: 'window', title: t('hosts.window'), isNumeric, isExtra: true, cell: ({ window }) => count(window) },
        {
          ...{ key: 'all', title: t('hosts.allTime'), isNumeric, isExtra: true },
          cell: ({ allTime }) => count(allTime.visits),
        },
        {
          ...{ key: 'remove', title: '' },
          cell: ({ host }) => (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              aria-label={t('hosts.compareWithout', { host })}
              onClick={() => changeSearch({ hosts: without(host).length === 0 ? undefined : without(host) })}
            >
              <Icon name="close" size={16} />
            </Button>
          ),
        },
      ]}
    />
  );
}
