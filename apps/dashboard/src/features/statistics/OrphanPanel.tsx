import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { Panel } from '../../ui/Panel.js';
import type { Question } from '../view/view.js';
import { Attribution } from './Attribution.js';
import { useOrphanDimension } from './queries.js';
import { EIGHT_ROWS_PX, RankedRows } from './RankedRows.js';
import classes from './statistics.module.css';
import { useValueName } from './value-name.js';

const ROWS = 8;
const DIMENSIONS = ['path', 'type', 'country'] as const;

/** Orphan visits by what they can be told apart by. */
export function OrphanPanel({ question }: { question: Question }) {
  return (
    <div className={classes.panels}>
      {DIMENSIONS.map((dimension) => (
        <OrphanDimension key={dimension} dimension={dimension} question={question} />
      ))}
    </div>
  );
}

function OrphanDimension({ dimension, question }: { dimension: (typeof DIMENSIONS)[number]; question: Question }) {
  const { t } = useTranslation();
  const nameOf = useValueName();
  const query = useOrphanDimension(question, dimension, ROWS);
  const title = t(`orphans.dimension.${dimension}`);
  return (
    <Panel title={title}>
      <Answer query={query} height={EIGHT_ROWS_PX} keepsHeight>
        {({ values, other, visits, attribution }) => (
          <>
            <RankedRows
              title={title}
              visits={visits}
              other={other}
              rows={values.data.map(({ value, visits: count }) => ({
                ...{ key: value, visits: count },
                name: (
                  <span className={classes.name} title={value}>
                    <bdi>{nameOf(dimension, value)}</bdi>
                  </span>
                ),
              }))}
            />
            {dimension === 'country' && <Attribution line={attribution} />}
          </>
        )}
      </Answer>
    </Panel>
  );
}
