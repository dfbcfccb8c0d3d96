import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { Panel } from '../../ui/Panel.js';
import { withoutValues, withValue } from '../evidence/explained.js';
import { useView } from '../view/use-view.js';
import { InexactMark } from './AnswerMarks.js';
import { type Scope, useDimension } from './queries.js';
import { EIGHT_ROWS_PX, RankedRows } from './RankedRows.js';
import { StatisticMenu } from './StatisticMenu.js';
import type { DimensionName } from './statistic-names.js';
import { useValueName } from './value-name.js';
import { ValueButton } from './ValueButton.js';

const ROWS = 8;

interface Props {
  dimension: Exclude<DimensionName, 'firstSeen'>;
  scope?: Scope | undefined;
}

/** The values with the most visits; a click on one makes it a filter. */
export function DimensionPanel({ dimension, scope = {} }: Props) {
  const { t } = useTranslation();
  const { question } = useView();
  const nameOf = useValueName();
  const query = useDimension({ ...scope, ...question }, dimension, { itemsPerPage: ROWS });
  const title = t(`statistics.dimension.${dimension}`);
  return (
    <Panel title={title} actions={<StatisticMenu name={dimension} title={title} scope={scope} />}>
      <Answer query={query} height={EIGHT_ROWS_PX} keepsHeight>
        {({ values, other, visits, ...state }) => (
          <>
            <RankedRows
              title={title}
              visits={visits}
              whole={{ name: dimension, scope }}
              other={{
                ...other,
                explained: withoutValues(dimension, values.data),
              }}
              rows={values.data.map(({ value, visits: count }) => ({
                ...{ key: value, visits: count, explained: withValue(dimension, value) },
                name: <ValueButton dimension={dimension} value={value} name={nameOf(dimension, value)} />,
              }))}
            />
            <InexactMark state={state} />
          </>
        )}
      </Answer>
    </Panel>
  );
}
