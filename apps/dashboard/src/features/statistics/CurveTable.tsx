import { useTranslation } from 'react-i18next';

import { type Column, DataTable } from '../../ui/DataTable.js';
import { formatPoint } from '../../ui/format.js';
import { useFormat } from '../../ui/use-format.js';
import { ExplainButton } from '../evidence/ExplainButton.js';
import { InexactMark } from './AnswerMarks.js';
import { type Point, toPoints } from './curve.js';
import type { Series } from './queries.js';

/** The curve in numbers, newest first; of what has not begun nothing is said. */
export function CurveTable({ answer }: { answer: Series }) {
  const { t } = useTranslation();
  const { language, count } = useFormat();
  const { interval, timeZone, series, endDate } = answer;
  const points = toPoints(series, endDate, Date.now()).filter(({ visits }) => visits !== null);
  const start = (point: Point) => formatPoint(point.start, interval, { language, zone: timeZone });
  const number = (name: 'visits' | 'visitors' | 'ips'): Column<Point> => ({
    ...{ key: name, title: t(`statistics.${name}`), isNumeric: true },
    cell: (point) => (
      <ExplainButton explained={{ filters: [], from: point.start, to: point.end }}>{count(point[name])}</ExplainButton>
    ),
  });
  return (
    <>
      <InexactMark state={answer} />
      <DataTable
        label={t('statistics.curve')}
        rows={points.reverse()}
        keyOf={(point) => point.start}
        columns={[
          {
            key: 'start',
            title: t('statistics.from'),
            cell: (point) => (point.isOpen ? `${start(point)} (${t('statistics.open')})` : start(point)),
          },
          number('visits'),
          number('visitors'),
          number('ips'),
        ]}
      />
    </>
  );
}
