import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { RowMenu } from '../../ui/RowMenu.js';
import { useIsShared } from '../sharing/shared-view.js';
import { useView } from '../view/use-view.js';
import { intervalOf } from '../view/view.js';
import { EXPORT_FORMATS, exportAddress } from './exports.js';
import type { Scope } from './queries.js';
import { type StatisticName, TOTALS, WEEK } from './statistic-names.js';
import { searchOfTable } from './table-search.js';

interface Props {
  name: StatisticName | typeof TOTALS | typeof WEEK;
  title: string;
  scope?: Scope | undefined;
  /** Not on the page of the table itself. */
  hasTable?: boolean;
}

/** The whole table of a panel, and the files of it. */
export function StatisticMenu({ name, title, scope = {}, hasTable = true }: Props) {
  const { t } = useTranslation();
  const { question, view } = useView();
  const navigate = useNavigate();
  const isShared = useIsShared();
  const asked = { ...scope, ...question, ...paramsOf(name, intervalOf(view)) };
  const open = () =>
    void navigate({
      to: '/statistics/$name',
      params: { name },
      search: searchOfTable(scope),
    });
  if (isShared) return null;
  return (
    <RowMenu
      isSmall
      label={t('statistics.menu', { title })}
      actions={[
        ...(hasTable ? [{ title: t('statistics.wholeTable'), onClick: open }] : []),
        ...EXPORT_FORMATS.map((format) => ({
          title: t('statistics.export', { format: format === 'parquet' ? 'Parquet' : format.toUpperCase() }),
          href: exportAddress(pathOf(name), asked, format),
        })),
      ]}
    />
  );
}

function pathOf(name: Props['name']): string {
  if (name === TOTALS || name === 'links' || name === 'series') return name;
  return name === WEEK ? 'matrix' : `dimensions/${name}`;
}

function paramsOf(name: Props['name'], interval: string): Record<string, string> {
  if (name === WEEK) return { rows: 'weekday', columns: 'hour' };
  return name === 'series' ? { interval } : {};
}
