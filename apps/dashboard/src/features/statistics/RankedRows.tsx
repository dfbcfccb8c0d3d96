import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '../../ui/EmptyState.js';
import { useFormat } from '../../ui/use-format.js';
import { ExplainButton } from '../evidence/ExplainButton.js';
import type { Explained } from '../evidence/explained.js';
import { useIsShared } from '../sharing/shared-view.js';
import type { Scope } from './queries.js';
import type { StatisticName } from './statistic-names.js';
import classes from './statistics.module.css';
import { searchOfTable } from './table-search.js';

interface Props {
  title: string;
  rows: readonly { key: string; name: ReactNode; visits: number; explained?: Explained }[];
  /** Of all rows, also of those that are not shown. */
  visits: number;
  other: { values: number; visits: number; explained?: Explained | undefined };
  /** Where they are listed. */
  whole?: { name: StatisticName; scope: Scope };
}

/** Of eight rows and the one of all others, in pixels: kept free for them, and also where there are fewer. */
export const EIGHT_ROWS_PX = 330;

/** A bar chart that is a table. */
export function RankedRows({ title, rows, visits, other, whole }: Props) {
  const { t } = useTranslation();
  const { count, share } = useFormat();
  if (rows.length === 0) return <EmptyState>{t('statistics.noVisits')}</EmptyState>;
  return (
    <table className={classes.rows}>
      <thead>
        <tr>
          <th scope="col">
            {/* It stands above, in the panel's heading. */}
            <span className="visually-hidden">{title}</span>
          </th>
          <th scope="col" className={classes.count}>
            {t('statistics.visits')}
          </th>
          <th scope="col" className={`${classes.count} ${classes.part}`}>
            %
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <td className={classes.value}>
              <span className={classes.share} style={{ width: `${visits === 0 ? 0 : (row.visits / visits) * 100}%` }} />
              {row.name}
            </td>
            <td className={classes.count}>
              <ExplainButton explained={row.explained}>{count(row.visits)}</ExplainButton>
            </td>
            <td className={`${classes.count} ${classes.part}`}>{share(row.visits, visits)}</td>
          </tr>
        ))}
        {other.values > 0 && (
          <tr className={classes.rest}>
            <td>
              <Others count={other.values} whole={whole} />
            </td>
            <td className={classes.count}>
              <ExplainButton explained={other.explained}>{count(other.visits)}</ExplainButton>
            </td>
            <td className={`${classes.count} ${classes.part}`}>{share(other.visits, visits)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** How many are not listed; leads to the table that lists them. */
function Others({ count, whole }: { count: number; whole: Props['whole'] }) {
  const { t } = useTranslation();
  const isShared = useIsShared();
  const text = t('statistics.others', { count });
  if (whole === undefined || isShared) return text;
  return (
    <Link to="/statistics/$name" params={{ name: whole.name }} search={searchOfTable(whole.scope)}>
      {text}
    </Link>
  );
}
