import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { Chart, loadChart } from '../../ui/chart/Chart.js';
import { formatPoint } from '../../ui/format.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { useView } from '../view/use-view.js';
import { intervalOf } from '../view/view.js';
import { CurveTable } from './CurveTable.js';
import { comparedVisits, splitOpen, toPoints } from './curve.js';
import { StatisticMenu } from './StatisticMenu.js';
import { type Scope, type Series, useSeries } from './queries.js';

const SHOWN = ['chart', 'table'] as const;

/** Visits over time; the interval that goes on is dashed, what has not begun is not drawn. @public */
export function CurvePanel({ scope = {} }: { scope?: Scope | undefined }) {
  const { t } = useTranslation();
  const { question, view } = useView();
  const [shown, show] = useState<(typeof SHOWN)[number]>('chart');
  // Beside the question, not after its answer.
  useEffect(() => void loadChart().catch(() => undefined), []);
  const query = useSeries({ ...scope, ...question }, intervalOf(view), view.compare);
  return (
    <Panel
      title={t('statistics.curve')}
      actions={
        <>
          {/* Not a SegmentedControl: it measures itself while it is mounted, which lays the whole page out in that task. */}
          <div className="no-print" role="group" aria-label={t('statistics.shownAs')}>
            <Button.Group>
              {SHOWN.map((value) => (
                <Button
                  key={value}
                  size="compact-xs"
                  variant={shown === value ? 'light' : 'default'}
                  aria-pressed={shown === value}
                  onClick={() => show(value)}
                >
                  {t(`statistics.${value}`)}
                </Button>
              ))}
            </Button.Group>
          </div>
          <StatisticMenu name="series" title={t('statistics.curve')} scope={scope} />
        </>
      }
    >
      <Answer query={query} height={288}>
        {(answer) => (shown === 'chart' ? <Curve answer={answer} /> : <CurveTable answer={answer} />)}
      </Answer>
    </Panel>
  );
}

function Curve({ answer }: { answer: Series }) {
  const { t } = useTranslation();
  const { language } = useFormat();
  const { interval, timeZone, series, endDate, compared } = answer;
  const points = toPoints(series, endDate, Date.now());
  const { closed, open } = splitOpen(points);
  const hasOpen = open.some((visits) => visits !== null);
  return (
    <Chart
      label={t('statistics.curve')}
      x={points.map(({ start }) => formatPoint(start, interval, { language, zone: timeZone }))}
      lines={[
        { name: t('statistics.visits'), values: closed, style: 'main' },
        ...(hasOpen ? [{ name: t('statistics.open'), values: open, style: 'open' as const }] : []),
        ...(compared === undefined
          ? []
          : [
              {
                name: t('statistics.before'),
                values: comparedVisits({ interval, series }, compared.series),
                style: 'compared' as const,
              },
            ]),
      ]}
    />
  );
}
