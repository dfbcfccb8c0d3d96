import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { WorldMap } from '../../ui/chart/WorldMap.js';
import { Panel } from '../../ui/Panel.js';
import { withoutValues, withValue } from '../evidence/explained.js';
import { useIsShared } from '../sharing/shared-view.js';
import { useView } from '../view/use-view.js';
import { formatFilter } from '../view/view.js';
import { InexactMark } from './AnswerMarks.js';
import { Attribution } from './Attribution.js';
import { placesLevel } from './places.js';
import { type Scope, useDimension } from './queries.js';
import { RankedRows } from './RankedRows.js';
import { StatisticMenu } from './StatisticMenu.js';
import classes from './statistics.module.css';
import { useValueName } from './value-name.js';
import { ValueButton } from './ValueButton.js';

const ROWS = 9;
/** All countries there are: the map shows each. */
const MOST = 300;

/** The world; a click on a country leads to its regions, on a region to its cities. A share link shows no fewer visits than its own. @public */
export function PlacesPanel({ scope = {} }: { scope?: Scope | undefined }) {
  const { t } = useTranslation();
  const { question, view, toggle } = useView();
  const nameOf = useValueName();
  const isShared = useIsShared();
  const level = placesLevel(view.filter ?? []);
  const query = useDimension({ ...scope, ...question }, level, { itemsPerPage: level === 'country' ? MOST : ROWS });
  const title = t(`statistics.dimension.${level}`);
  const choose = (value: string) => toggle(formatFilter({ dimension: level, isExcluded: false, value }));
  return (
    <Panel title={t('statistics.places')} actions={<StatisticMenu name={level} title={title} scope={scope} />}>
      <Answer query={query} height={330}>
        {({ dimension, values, other, visits, attribution, ...state }) => {
          const shown = values.data.slice(0, ROWS);
          const hidden = values.data.slice(ROWS);
          const rest = {
            values: other.values + hidden.length,
            visits: other.visits + hidden.reduce((sum, row) => sum + row.visits, 0),
            explained: withoutValues(dimension, shown),
          };
          return (
            <>
              <div className={dimension === 'country' ? classes.places : undefined}>
                {dimension === 'country' && (
                  <WorldMap
                    label={t('statistics.map')}
                    countries={values.data.map((row) => ({ code: row.value, visits: row.visits }))}
                    onChoose={isShared ? undefined : choose}
                  />
                )}
                <RankedRows
                  title={title}
                  visits={visits}
                  other={rest}
                  whole={{ name: level, scope }}
                  rows={shown.map(({ value, visits: count }) => ({
                    ...{ key: value, visits: count, explained: withValue(dimension, value) },
                    name: <ValueButton dimension={dimension} value={value} name={nameOf(dimension, value)} />,
                  }))}
                />
              </div>
              <InexactMark state={state} />
              <Attribution line={attribution} />
            </>
          );
        }}
      </Answer>
    </Panel>
  );
}
