import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { useExplain } from '../evidence/ExplainButton.js';
import { useView } from '../view/use-view.js';
import { InexactMark } from './AnswerMarks.js';
import { type Matrix, type Scope, useMatrix } from './queries.js';
import { StatisticMenu } from './StatisticMenu.js';
import { WEEK } from './statistic-names.js';
import classes from './statistics.module.css';
import { useCellFocus } from './use-cell-focus.js';
import { heatOf, weekdayName } from './week.js';

/** When visits come, hour by weekday: a heat map that is a table, whose cells open their visits. @public */
export function WeekPanel({ scope = {} }: { scope?: Scope | undefined }) {
  const { t } = useTranslation();
  const { question } = useView();
  const query = useMatrix({ ...scope, ...question }, 'weekday', 'hour');
  return (
    <Panel
      title={t('statistics.week')}
      actions={<StatisticMenu name={WEEK} title={t('statistics.week')} scope={scope} hasTable={false} />}
    >
      <Answer query={query} height={230} keepsHeight>
        {(matrix) =>
          matrix.visits === 0 ? (
            <EmptyState>{t('statistics.noVisits')}</EmptyState>
          ) : (
            <>
              <Week matrix={matrix} />
              <InexactMark state={matrix} />
            </>
          )
        }
      </Answer>
    </Panel>
  );
}

function Week({ matrix: { rows: found, columns, cells } }: { matrix: Matrix }) {
  const { t } = useTranslation();
  const { language, count } = useFormat();
  const rows = { values: found.values.map(({ value }) => ({ value, name: weekdayName(value, language) })) };
  const most = Math.max(...cells.flat());
  const explain = useExplain();
  const focus = useCellFocus(cells);
  return (
    <table className={classes.week} aria-label={t('statistics.week')} onKeyDown={focus.onKeyDown}>
      <thead>
        <tr>
          <th scope="row">
            <span className="visually-hidden">{t('statistics.hour')}</span>
          </th>
          {columns.values.map(({ value }) => (
            <th key={value} scope="col">
              {Number(value) % 6 === 0 ? value : <span className="visually-hidden">{value}</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.values.map(({ value: day, name: dayName }, row) => (
          <tr key={day}>
            <th scope="row">{dayName}</th>
            {columns.values.map(({ value: hour }, column) => {
              const visits = cells[row]?.[column] ?? 0;
              const name = `${dayName} ${hour}:00 · ${count(visits)}`;
              return (
                <td key={hour} title={name} style={visits === 0 ? undefined : { background: heatOf(visits, most) }}>
                  {visits === 0 || explain === undefined ? (
                    <span className="visually-hidden">{count(visits)}</span>
                  ) : (
                    <UnstyledButton
                      aria-label={name}
                      {...focus.of(row, column)}
                      onClick={() => explain({ filters: [`weekday=${day}`, `hour=${hour}`] })}
                    />
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
