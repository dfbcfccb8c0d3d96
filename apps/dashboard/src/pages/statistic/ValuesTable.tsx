import { UnstyledButton } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { ExplainButton } from '../../features/evidence/ExplainButton.js';
import { withoutValues, withValue } from '../../features/evidence/explained.js';
import { type Scope, useDimension } from '../../features/statistics/queries.js';
import { type DimensionName, PLACES } from '../../features/statistics/statistic-names.js';
import { useValueName } from '../../features/statistics/value-name.js';
import { useView } from '../../features/view/use-view.js';
import { formatFilter } from '../../features/view/view.js';
import { DataTable } from '../../ui/DataTable.js';
import { usePage } from '../../ui/Pages.js';
import { useFormat } from '../../ui/use-format.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { CountedRows } from './CountedRows.js';
import { ROWS_PER_PAGE } from './rows-per-page.js';

interface Props {
  name: DimensionName;
  title: string;
  scope: Scope;
}

/** Every value of a dimension; a click on one makes it a filter. */
export function ValuesTable({ name, title, scope }: Props) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { question } = useView();
  const changeSearch = useChangeSearch();
  const { order = 'visits-DESC' } = useSearch({ from: '/signed-in/statistics/$name' });
  // Who is new is a question about visitors: it counts visits only, and is no filter.
  const isFirstSeen = name === 'firstSeen';
  const uniques = isFirstSeen ? 'none' : 'all';
  const page = { itemsPerPage: ROWS_PER_PAGE, page: usePage(), uniques, orderBy: order } as const;
  const query = useDimension({ ...scope, ...question }, name, page);
  return (
    <CountedRows
      query={query}
      pageOf={({ values }) => values}
      explainRest={({ values: { data } }) => (isFirstSeen ? undefined : withoutValues(name, data))}
      hasPlaces={PLACES.includes(name)}
    >
      {({ values }) => (
        <DataTable
          label={title}
          rows={values.data}
          keyOf={({ value }) => value}
          order={order}
          onOrder={(field) => changeSearch({ order: field, page: undefined })}
          columns={[
            {
              key: 'value',
              title,
              order: 'value',
              cell: ({ value }) => <Value name={name} value={value} />,
            },
            {
              ...{ key: 'visits', title: t('statistics.visits'), isNumeric: true, order: 'visits' },
              cell: ({ value, visits }) =>
                isFirstSeen ? (
                  count(visits)
                ) : (
                  <ExplainButton explained={withValue(name, value)}>{count(visits)}</ExplainButton>
                ),
            },
            ...(['visitors', 'ips'] as const).map((key) => ({
              ...{ key, title: t(`statistics.${key}`), isNumeric: true, isExtra: key === 'ips' },
              cell: (row: Partial<Record<typeof key, number>>) => count(row[key]),
            })),
          ]}
        />
      )}
    </CountedRows>
  );
}

function Value({ name, value }: { name: DimensionName; value: string }) {
  const { toggle } = useView();
  const nameOf = useValueName();
  if (name === 'firstSeen') return nameOf(name, value);
  return (
    <UnstyledButton
      fz="inherit"
      className="foreign"
      onClick={() => toggle(formatFilter({ dimension: name, isExcluded: false, value }))}
    >
      {nameOf(name, value)}
    </UnstyledButton>
  );
}
