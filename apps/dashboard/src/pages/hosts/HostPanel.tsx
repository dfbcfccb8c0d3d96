import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { splitOpen, toPoints } from '../../features/statistics/curve.js';
import { useView } from '../../features/view/use-view.js';
import { intervalOf, withoutFilters } from '../../features/view/view.js';
import { Answer } from '../../ui/Answer.js';
import { Chart } from '../../ui/chart/Chart.js';
import { DataTable } from '../../ui/DataTable.js';
import { formatPoint } from '../../ui/format.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { type HostSeries, useHostVisits } from './hosts.js';
import type { Kind } from './hosts-search.js';
import { useHostName } from './use-host-name.js';

interface Props {
  kind: Kind;
  host: string;
}

/** Visits of a name with all below it, over the range. */
export function HostPanel(props: Props) {
  const { t } = useTranslation();
  const nameOf = useHostName();
  return (
    <Panel title={t('hosts.of', { host: nameOf(props.host) })}>
      <HostVisits {...props} />
    </Panel>
  );
}

function HostVisits({ kind, host }: Props) {
  const { t } = useTranslation();
  const { question, view } = useView();
  const dates = withoutFilters(question);
  const { count, instant } = useFormat(dates.timeZone);
  const query = useHostVisits(kind, host, { ...dates, interval: intervalOf(view) });
  return (
    <Answer query={query} height={340}>
      {(answer) => (
        <>
          <Group gap="sm" mb="xs">
            <Text size="sm">
              {t('hosts.counted', {
                ...{ visits: count(answer.totals.visits), all: count(answer.allTime.visits) },
                time: instant(answer.asOf, 'time'),
              })}
            </Text>
            {answer.lumped && (
              <Badge color="orange" variant="dot">
                {t('hosts.lumped')}
              </Badge>
            )}
          </Group>
          <HostCurve answer={answer} />
        </>
      )}
    </Answer>
  );
}

function HostCurve({ answer: { series, endDate, interval, timeZone } }: { answer: HostSeries }) {
  const { t } = useTranslation();
  const { count, language } = useFormat();
  const points = toPoints(series, endDate, Date.now());
  const { closed, open } = splitOpen(points);
  const nameOf = (start: string) => formatPoint(start, interval, { language, zone: timeZone });
  return (
    <>
      <Chart
        label={t('statistics.curve')}
        x={points.map(({ start }) => nameOf(start))}
        lines={[
          { name: t('statistics.visits'), values: closed, style: 'main' },
          { name: t('statistics.open'), values: open, style: 'open' },
        ]}
      />
      <details>
        <summary>{t('statistics.table')}</summary>
        <DataTable
          label={t('statistics.curve')}
          rows={points.filter(({ visits }) => visits !== null).reverse()}
          keyOf={({ start }) => start}
          columns={[
            { key: 'start', title: t('statistics.from'), cell: ({ start }) => nameOf(start) },
            { key: 'visits', title: t('statistics.visits'), isNumeric: true, cell: ({ visits }) => count(visits) },
          ]}
        />
      </details>
    </>
  );
}
