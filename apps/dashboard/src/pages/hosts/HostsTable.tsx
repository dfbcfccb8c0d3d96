import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useView } from '../../features/view/use-view.js';
import { intervalOf, withoutFilters } from '../../features/view/view.js';
import { type Column, DataTable } from '../../ui/DataTable.js';
import { Sparkline } from '../../ui/Sparkline.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { useFormat } from '../../ui/use-format.js';
import { type HostRow, type HostsAsked, useCurves } from './hosts.js';
import { COMPARED_AT_MOST, isComparable } from './hosts-search.js';
import classes from './hosts.module.css';
import { useHostName } from './use-host-name.js';

interface Props {
  title: string;
  rows: readonly HostRow[];
  asked: HostsAsked;
  compared: readonly string[];
}

/** A row for each name; some can be chosen, to be compared. */
export function HostsTable({ title, rows, asked, compared }: Props) {
  const { t } = useTranslation();
  const changeSearch = useChangeSearch();
  const nameOf = useHostName();
  const has = ({ host }: HostRow) => compared.includes(host);
  return (
    <DataTable
      label={title}
      rows={rows}
      keyOf={({ host }) => host}
      columns={useColumns(asked, useRowCurves(asked.kind, rows))}
      selection={{
        has,
        canSelect: (row) => has(row) || (isComparable(row.host) && compared.length < COMPARED_AT_MOST),
        onSelect: (chosen, isSelected) => {
          const names = chosen.map(({ host }) => host);
          const hosts = [...compared.filter((host) => !names.includes(host)), ...(isSelected ? names : [])];
          changeSearch({ hosts: hosts.length === 0 ? undefined : hosts.slice(0, COMPARED_AT_MOST) });
        },
        nameOf: ({ host }) => t('hosts.compare', { host: nameOf(host) }),
        nameOfAll: t('hosts.compareAll', { most: COMPARED_AT_MOST }),
      }}
    />
  );
}

/** Over the range of the page; undefined: not known yet. */
function useRowCurves(kind: HostsAsked['kind'], rows: readonly HostRow[]): ReadonlyMap<string, number[]> | undefined {
  const { question, view } = useView();
  const { data, isPlaceholderData } = useCurves(kind, rows, intervalOf(view), withoutFilters(question));
  return isPlaceholderData ? undefined : data;
}

function useColumns({ by, order }: HostsAsked, curves: ReadonlyMap<string, number[]> | undefined): Column<HostRow>[] {
  const { t } = useTranslation();
  const { count } = useFormat();
  const nameOf = useHostName();
  const changeSearch = useChangeSearch();
  return [
    {
      key: 'host',
      title: t('hosts.host'),
      // What begins with ~ stands for several, and is no name that could be asked for.
      cell: ({ host }) =>
        host.startsWith('~') ? (
          <span className="foreign">{nameOf(host)}</span>
        ) : (
          <UnstyledButton
            fz="inherit"
            td="underline"
            className="foreign"
            onClick={() => changeSearch({ by: undefined, below: host, after: undefined })}
          >
            {host}
          </UnstyledButton>
        ),
    },
    ...(order === 'window' && by === 'label'
      ? [{ ...number('window', t('hosts.window')), cell: ({ window }: HostRow) => count(window) }]
      : []),
    { ...number('visits', t('statistics.visits')), cell: ({ visits }) => count(visits) },
    { key: 'curve', title: t('hosts.curve'), isExtra: true, cell: ({ host }) => <Curve host={host} curves={curves} /> },
    { ...number('people', t('statistics.class.human')), cell: ({ byClass }) => count(byClass.human) },
    { ...number('own', t('hosts.own')), isExtra: true, cell: ({ own }) => count(own) },
    { ...number('children', t('hosts.children')), isExtra: true, cell: ({ children }) => count(children) },
  ];
}

/** Its place is kept while it is not known. */
function Curve({ host, curves }: { host: string; curves: ReadonlyMap<string, number[]> | undefined }) {
  const { t } = useTranslation();
  const nameOf = useHostName();
  const values = curves?.get(host);
  return (
    <div className={classes.curve}>
      {values !== undefined && <Sparkline values={values} label={t('hosts.curveOf', { host: nameOf(host) })} />}
    </div>
  );
}

const number = (key: string, title: string) => ({ key, title, isNumeric: true });
