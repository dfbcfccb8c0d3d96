import { Text } from '@mantine/core';
import type { components } from '@hopcount/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ExplainButton } from '../../features/evidence/ExplainButton.js';
import type { Explained } from '../../features/evidence/explained.js';
import { AnswerMarks } from '../../features/statistics/AnswerMarks.js';
import { Attribution } from '../../features/statistics/Attribution.js';
import type { AnswerState } from '../../features/statistics/queries.js';
import { Answer } from '../../ui/Answer.js';
import { NoRows } from '../../ui/NoRows.js';
import { Pages } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';

type Counted = AnswerState & { attribution: string; visits: number; other: { values: number; visits: number } };

interface Props<Data extends Counted> {
  query: UseQueryResult<Data>;
  pageOf: (data: Data) => { data: unknown[]; pagination: components['schemas']['Pagination'] };
  /** What stands behind the number of all others, of the rows of this page. */
  explainRest?: (data: Data) => Explained | undefined;
  /** Whether whose data they are is said. */
  hasPlaces?: boolean;
  children: (data: Data) => ReactNode;
}

/** A page of rows, and what all others sum to: both together are the visits of the range. */
export function CountedRows<Data extends Counted>(props: Props<Data>) {
  const { query, pageOf, explainRest, hasPlaces = false, children } = props;
  const { t } = useTranslation();
  const { count } = useFormat();
  return (
    <Answer query={query} height={480}>
      {(data) => {
        const page = pageOf(data);
        if (page.data.length === 0) {
          return (
            <NoRows query={query} pagination={page.pagination}>
              {t('statistics.noVisits')}
            </NoRows>
          );
        }
        return (
          <>
            {children(data)}
            <Text size="sm" c="dimmed" p="xs" data-rest="">
              <ExplainButton explained={data.other.visits === 0 ? undefined : explainRest?.(data)}>
                {t('statistics.rest', {
                  ...{ count: data.other.values, number: count(data.other.values) },
                  ...{ visits: count(data.other.visits), all: count(data.visits) },
                })}
              </ExplainButton>
            </Text>
            <Pages pagination={page.pagination} />
            <AnswerMarks state={data} />
            {hasPlaces && <Attribution line={data.attribution} />}
          </>
        );
      }}
    </Answer>
  );
}
