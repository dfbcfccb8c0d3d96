import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { Panel } from '../../ui/Panel.js';
import { useView } from '../view/use-view.js';
import { formatFilter } from '../view/view.js';
import { type Scope, useDimension } from './queries.js';
import { RankedRows } from './RankedRows.js';
import classes from './statistics.module.css';
import { useValueName } from './value-name.js';

const ROWS = 8;

interface Props {
  dimension:
    'referrer' | 'channel' | 'country' | 'city' | 'browser' | 'os' | 'device' | 'language' | 'utmCampaign' | 'class';
  scope?: Scope;
}

/** The values with the most visits; a click on one makes it a filter. */
export function DimensionPanel({ dimension, scope = {} }: Props) {
  const { t } = useTranslation();
  const { question, view, toggle } = useView();
  const nameOf = useValueName();
  const query = useDimension({ ...scope, ...question }, dimension, ROWS);
  const title = t(`statistics.dimension.${dimension}`);
  return (
    <Panel title={title}>
      <Answer query={query} height={290}>
        {({ values, other, visits }) => (
          <RankedRows
            title={title}
            visits={visits}
            other={other}
            rows={values.data.map((row) => {
              const filter = formatFilter({ dimension, isExcluded: false, value: row.value });
              const name = nameOf(dimension, row.value);
              return {
                key: row.value,
                visits: row.visits,
                name: (
                  <UnstyledButton
                    className={classes.name}
                    title={name}
                    aria-pressed={view.filter?.includes(filter) ?? false}
                    onClick={() => toggle(filter)}
                  >
                    <bdi>{name}</bdi>
                  </UnstyledButton>
                ),
              };
            })}
          />
        )}
      </Answer>
    </Panel>
  );
}
